// One thread's search for a docID in a bit set, for kernels in which each lane looks into another
// block. From the block's nearer end. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// "Not there".
inline constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

/// A docID within a block.
struct Sought {
  std::uint32_t distance;  ///< from the first docID that the block could have
  std::uint32_t span;      ///< docIDs that it could have, up to its last; above `distance`

  __device__ __forceinline__ bool is_near_end() const { return 2 * distance >= span; }
};

/// The place of the docID in a block of `count` as a bit set, or kAbsent. O(span / 64).
__device__ __forceinline__ std::uint32_t find_in_bits(const std::uint8_t* at, std::uint32_t count,
                                                      Sought sought) {
  const std::uint32_t span = min(sought.span, 8 * kMaxBlockBytes);
  const std::uint32_t bit = min(sought.distance, span - 1);
  if ((read32(at, bit) & 1) == 0) return kAbsent;
  const bool from_end = sought.is_near_end();
  const std::uint32_t end = from_end ? span : bit;
  std::uint32_t ones = 0;
  for (std::uint32_t at_bit = from_end ? bit + 1 : 0; at_bit < end; at_bit += 32) {
    ones += __popc(read_bits(at, at_bit, min(32U, end - at_bit)));
  }
  return from_end ? count - 1 - ones : ones;
}

}  // namespace warpdex::device
