// What a warp does for a block of 128 values, whatever the codec. Lane l holds values 4l to 4l + 3.
// All functions are for 32 converged lanes. Internal to codecs/device/.
#pragma once

#include <cstdint>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::device {

/// Values of a block in one lane.
inline constexpr std::uint32_t kLaneValues = kBlockSize / kWarp;

/// Words of shared memory that decoding a block needs.
inline constexpr std::uint32_t kScratchWords = kBlockSize;

/// One warp's scratch memory, in shared memory. Its content is undefined between two calls.
struct alignas(16) WarpScratch {
  std::uint32_t words[kScratchWords];
};

/// The word that holds bit `first` of the bytes at `at`. `bit` becomes the bit's number in the
/// word, modulo 32.
__device__ __forceinline__ const std::uint32_t* word_of_bit(const std::uint8_t* at,
                                                            std::uint32_t first,
                                                            std::uint32_t& bit) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  bit = first + static_cast<std::uint32_t>(address & 3) * 8;
  return reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3}) + bit / 32;
}

/// The two words that hold 32 bits from bit `first` of the bytes at `at`. The constructor starts to
/// read them.
struct TwoWords {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t bit;  ///< of the first word, modulo 32

  __device__ __forceinline__ TwoWords(const std::uint8_t* at, std::uint32_t first) {
    const std::uint32_t* const from = word_of_bit(at, first, bit);
    low = __ldg(from);
    high = __ldg(from + 1);
  }
  __device__ __forceinline__ std::uint32_t get() const { return __funnelshift_r(low, high, bit); }
};

/// 32 bits from bit `bit` of the bytes at `at`. Reads up to 8 bytes from the word that holds the
/// bit.
__device__ __forceinline__ std::uint32_t read32(const std::uint8_t* at, std::uint32_t bit) {
  return TwoWords(at, bit).get();
}

/// The lowest `width` (0 to 32) bits set.
__device__ __forceinline__ std::uint32_t mask_of(std::uint32_t width) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
}

/// `width` (0 to 32) bits from bit `bit` on.
__device__ __forceinline__ std::uint32_t read_bits(const std::uint8_t* at, std::uint32_t bit,
                                                   std::uint32_t width) {
  return read32(at, bit) & mask_of(width);
}

/// Up to this width, three words hold four values.
inline constexpr std::uint32_t kNarrowWidth = 16;

/// Reads four values of `width` (0 to kNarrowWidth) bits from three words. The first value begins
/// at bit `bit` % 32 of the first word.
__device__ __forceinline__ void unpack_narrow_words(const std::uint32_t (&words)[3],
                                                    std::uint32_t bit, std::uint32_t width,
                                                    std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t low = __funnelshift_r(words[0], words[1], bit);
  const std::uint32_t high = __funnelshift_r(words[1], words[2], bit);
  const std::uint32_t second_pair = __funnelshift_rc(low, high, 2 * width);
  const std::uint32_t mask = (1U << width) - 1;
  values[0] = low & mask;
  values[1] = (low >> width) & mask;
  values[2] = second_pair & mask;
  values[3] = (second_pair >> width) & mask;
}

/// The three words that hold four values of up to kNarrowWidth bits, from bit `first` on. One
/// thread. Reads at most 24 bytes past the last value.
struct NarrowFour {
  std::uint32_t words[3];
  std::uint32_t bit;  ///< of the first word, modulo 32

  __device__ __forceinline__ NarrowFour(const std::uint8_t* at, std::uint32_t first) {
    const std::uint32_t* const from = word_of_bit(at, first, bit);
    words[1] = __ldg(from + 1);
    words[0] = __ldg(from);
    words[2] = __ldg(from + 2);
  }

  __device__ __forceinline__ void unpack(std::uint32_t width,
                                         std::uint32_t (&values)[kLaneValues]) const {
    unpack_narrow_words(words, bit, width, values);
  }
};

/// Four values of `width` (0 to kNarrowWidth) bits from bit `first` on. Reads as NarrowFour does.
__device__ __forceinline__ void unpack_narrow_four(const std::uint8_t* at, std::uint32_t first,
                                                   std::uint32_t width,
                                                   std::uint32_t (&values)[kLaneValues]) {
  NarrowFour(at, first).unpack(width, values);
}

/// The same for any width from 0 to 32.
__device__ __forceinline__ void unpack_four(const std::uint8_t* at, std::uint32_t first,
                                            std::uint32_t width,
                                            std::uint32_t (&values)[kLaneValues]) {
  if (width > kNarrowWidth) {
    const std::uint32_t mask = 0xFFFFFFFFU >> (32 - width);
#pragma unroll
    for (std::uint32_t i = 0; i < kLaneValues; ++i) {
      values[i] = read32(at, first + i * width) & mask;
    }
    return;
  }
  unpack_narrow_four(at, first, width, values);
}

/// Unpacks `count` (1 to 128) values of `width` (0 to 32, uniform) bits. Values past the last are
/// undefined.
__device__ __forceinline__ void unpack(const std::uint8_t* at, std::uint32_t count,
                                       std::uint32_t width, std::uint32_t (&values)[kLaneValues]) {
  const std::uint32_t lane = min(lane_id(), (count - 1) / kLaneValues);
  const std::uint32_t first = lane * kLaneValues * width;
  unpack_four(at, first, width, values);
}

/// Turns gaps less one into docIDs, by one scan over the lanes' sums.
__device__ __forceinline__ void sum_gaps(std::uint32_t base, std::uint32_t (&values)[kLaneValues]) {
  values[1] += values[0] + 1;
  values[2] += values[1] + 1;
  values[3] += values[2] + 1;
  const std::uint32_t own = values[3] + 1;
  const std::uint32_t before = base + 1 + inclusive_sum(own) - own;
#pragma unroll
  for (std::uint32_t& value : values) value += before;
}

/// Puts `filler` in the places past a block's count.
__device__ __forceinline__ void fill_rest(std::uint32_t count, std::uint32_t filler,
                                          std::uint32_t (&values)[kLaneValues]) {
  if (count >= kBlockSize) return;
  const std::uint32_t first = lane_id() * kLaneValues;
#pragma unroll
  for (std::uint32_t i = 0; i < kLaneValues; ++i) {
    if (first + i >= count) values[i] = filler;
  }
}

/// Adds a lane's four words of the scratch memory to its values.
__device__ __forceinline__ void add_words(const uint4& in_memory,
                                          std::uint32_t (&values)[kLaneValues]) {
  const uint4 words = in_memory;
  values[0] += words.x;
  values[1] += words.y;
  values[2] += words.z;
  values[3] += words.w;
}

/// Adds the high bits of up to 32 exceptions, one for each lane that `has` one, to a block's
/// values. It goes through shared memory, since the lanes that read exceptions are not those that
/// hold the values.
__device__ __forceinline__ void patch(bool has, std::uint32_t position, std::uint32_t added,
                                      WarpScratch& scratch, std::uint32_t (&values)[kLaneValues]) {
  uint4* own = reinterpret_cast<uint4*>(scratch.words) + lane_id();
  *own = make_uint4(0, 0, 0, 0);
  __syncwarp();
  if (has) scratch.words[position % kBlockSize] = added;
  __syncwarp();
  add_words(*own, values);
  __syncwarp();
}

}  // namespace warpdex::device
