// Where the one bits of a run of bits are: the docIDs of a bit set, the ends of unary codes.
// Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// Most bits that a lane looks at in one round.
inline constexpr std::uint32_t kMostPieceBits = 32;

/// The run of bits in which the ones are sought.
struct Bits {
  const std::uint8_t* at;  ///< its first byte
  std::uint32_t start;     ///< its first bit, from there
  std::uint32_t count;     ///< bits
};

/// Positions in the run of the ones, by rank. There is room for those of the last lane to write,
/// too: lanes check only the rank of their first.
struct Positions {
  std::uint16_t* at;

  __device__ __forceinline__ explicit Positions(WarpScratch& scratch)
      : at(reinterpret_cast<std::uint16_t*>(scratch.words)) {}

  /// Those of ranks 4l to 4l + 3.
  __device__ __forceinline__ void get(std::uint32_t (&positions)[kLaneValues]) const {
    const uint2 pairs = reinterpret_cast<const uint2*>(at)[lane_index()];
    positions[0] = pairs.x & 0xFFFF;
    positions[1] = pairs.x >> 16;
    positions[2] = pairs.y & 0xFFFF;
    positions[3] = pairs.y >> 16;
  }
};
static_assert(kScratchWords * 2 >= kBlockSize + kMostPieceBits);

/// Writes the positions of the ones among `kBits` bits. Predicated stores, no branches: half of
/// the bits are ones, more or less.
template <std::uint32_t kBits>
__device__ __forceinline__ void put_each(std::uint32_t bits, std::uint32_t position,
                                         std::uint16_t*& to) {
#pragma unroll
  for (std::uint32_t i = 0; i < kBits; ++i) {
    if ((bits & (1U << i)) != 0) *to++ = static_cast<std::uint16_t>(position + i);
  }
}

/// Writes the positions of the ones among `piece` (uniform, up to 32) bits.
__device__ __forceinline__ void put_ones(std::uint32_t bits, std::uint32_t piece,
                                         std::uint32_t position, std::uint16_t* to) {
  if (piece <= 16) {
    for (std::uint32_t i = 0; i < piece; i += 4) {
      put_each<4>(bits >> i, position + i, to);
    }
    return;
  }
  for (; bits != 0; bits &= bits - 1) {  // few ones: most of the bits are zeros
    *to++ = static_cast<std::uint16_t>(position + __ffs(static_cast<int>(bits)) - 1);
  }
}

}  // namespace warpdex::device
