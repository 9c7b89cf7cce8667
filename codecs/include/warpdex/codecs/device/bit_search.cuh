// One thread searches for a docID in a bit set, from the nearer end of the block. For kernels in
// which each lane searches a different block. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// "Not there".
inline constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

/// A docID that is searched for in a block.
struct Sought {
  std::uint32_t distance;  ///< from the first docID that the block could have
  std::uint32_t span;      ///< docIDs that it could have, up to its last; above `distance`

  __device__ __forceinline__ bool is_near_end() const { return 2 * distance >= span; }
};

/// The number of ones among the bits [begin, end) of some words. One thread; always reads words[end
/// / 32].
__device__ __forceinline__ std::uint32_t count_ones(const std::uint32_t* words, std::uint32_t begin,
                                                    std::uint32_t end) {
  std::uint32_t mask = 0xFFFFFFFF << begin % 32;
  std::uint32_t ones = 0;
  std::uint32_t i = begin / 32;
#pragma unroll 4
  for (; i < end / 32; ++i) {
    ones += __popc(__ldg(words + i) & mask);
    mask = 0xFFFFFFFF;
  }
  return ones + __popc(__ldg(words + i) & mask & ~(0xFFFFFFFF << end % 32));
}

/// The place of a docID in a block of `count` docIDs that is a bit set, or kAbsent. O(span / 64).
__device__ __forceinline__ std::uint32_t find_in_bits(const std::uint8_t* at, std::uint32_t count,
                                                      Sought sought) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto* words = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
  const std::uint32_t first = static_cast<std::uint32_t>(address & 3) * 8;
  const std::uint32_t span = min(sought.span, 8 * kMaxBlockBytes);
  const std::uint32_t bit = first + min(sought.distance, span - 1);
  if ((__ldg(words + bit / 32) >> bit % 32 & 1) == 0) return kAbsent;
  const bool from_end = sought.is_near_end();
  const std::uint32_t ones =
      count_ones(words, from_end ? bit : first, from_end ? first + span : bit);
  return from_end ? count - ones : ones;
}

}  // namespace warpdex::device
