// Finds the positions of the ones in a run of bits: docIDs of a bit set, or ends of unary codes.
// Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// Bits that a lane takes in one round, at most.
inline constexpr std::uint32_t kMaxPieceBits = 32;

/// Positions of the ones, by rank. It has room beyond the last rank, since lanes check only the
/// rank of their first one.
struct Positions {
  std::uint16_t* at;

  __device__ __forceinline__ explicit Positions(WarpScratch& scratch)
      : at(reinterpret_cast<std::uint16_t*>(scratch.words)) {}

  /// The address of a rank's position in shared memory.
  __device__ __forceinline__ std::uint32_t address_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at + rank));
  }

  /// The positions of ranks 4l to 4l + 3.
  __device__ __forceinline__ void get(std::uint32_t (&positions)[kLaneValues]) const {
    const uint2 pairs = reinterpret_cast<const uint2*>(at)[lane_id()];
    positions[0] = pairs.x & 0xFFFF;
    positions[1] = pairs.x >> 16;
    positions[2] = pairs.y & 0xFFFF;
    positions[3] = pairs.y >> 16;
  }
};
static_assert(kScratchWords * 2 >= kBlockSize + kMaxPieceBits);

/// Writes the positions of the ones among the bits [kFirst, kFirst + kCount). Uses predicated
/// stores instead of branches, since about half of the bits are ones. `to`, in shared memory,
/// advances with each. In PTX: the compiler would take six instructions a bit instead of four.
template <std::uint32_t kFirst, std::uint32_t kCount>
__device__ __forceinline__ void put_each(std::uint32_t bits, std::uint32_t position,
                                         std::uint32_t& to) {
#pragma unroll
  for (std::uint32_t i = kFirst; i < kFirst + kCount; ++i) {
    asm volatile(
        "{\n"
        "  .reg .u32 bit;\n"
        "  .reg .pred is_one;\n"
        "  and.b32 bit, %1, %2;\n"
        "  setp.ne.u32 is_one, bit, 0;\n"
        "  @is_one st.shared.u16 [%0], %3;\n"
        "  @is_one add.u32 %0, %0, 2;\n"
        "}"
        : "+r"(to)
        : "r"(bits), "r"(1U << i), "r"(position + i)
        : "memory");
  }
}

/// Writes the positions of the ones among `piece` bits (uniform, up to 32). Bits past the piece
/// must be 0.
__device__ __forceinline__ void put_ones(std::uint32_t bits, std::uint32_t piece,
                                         std::uint32_t position, std::uint32_t to) {
  if (piece <= 16) {
    put_each<0, 4>(bits, position, to);
    if (piece > 4) put_each<4, 4>(bits, position, to);
    if (piece > 8) put_each<8, 4>(bits, position, to);
    if (piece > 12) put_each<12, 4>(bits, position, to);
    return;
  }
  for (; bits != 0; bits &= bits - 1) {  // few ones: most of the bits are zeros
    const std::uint32_t first = __ffs(static_cast<int>(bits)) - 1;
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "r"(position + first) : "memory");
    to += 2;
  }
}

}  // namespace warpdex::device
