// Fills in the parts of scores that depend on the lengths of a piece's documents. Internal to
// or_pieces.cu.
#pragma once

#include "gpu/kernels/pieces/piece_memory.cuh"

namespace warpdex::gpu {
namespace or_pieces {

/// The exact lengths of four neighbours; 0 behind the last document.
__device__ inline void read_lengths(const OrRounds& batch, std::uint32_t document,
                                    std::uint32_t (&four)[4]) {
  static_assert(kLongCode == 0xA0);
  const Lengths& lengths = batch.lengths;
  // Codes are padded to whole tiles.
  const std::uint32_t codes = *reinterpret_cast<const std::uint32_t*>(lengths.codes + document);
  if (document + 4 <= batch.documents && __vcmpgeu4(codes, 0xA0A0A0A0U) == 0) {
    const std::uint32_t rests =
        *reinterpret_cast<const std::uint32_t*>(lengths.remainders + document);
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      four[j] = decode_length(codes >> (8 * j) & 255) + (rests >> (8 * j) & 255);
    }
  } else {
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      four[j] = document + j < batch.documents ? lengths.of(document + j) : 0;
    }
  }
}

/// Clears the sums of a piece and fills in the parts of scores that depend on exact lengths. A
/// whole CTA.
__device__ inline void prepare(const OrRounds& batch, std::uint32_t begin, std::uint32_t size,
                               Memory& memory) {
  if (threadIdx.x == 0) memory.taken = memory.found = 0;
  if (threadIdx.x < kWarp) {
    memory.sums[kMaxPiece + threadIdx.x] = 0;
    memory.parts[kMaxPiece + threadIdx.x] = 1;
  }
  for (std::uint32_t i = threadIdx.x; i < size / 4; i += kThreads) {
    std::uint32_t lengths[4];
    read_lengths(batch, begin + 4 * i, lengths);
    const auto part = [&](std::uint32_t length) {
      return Bm25Units::length_part(batch.c0, batch.c1, static_cast<float>(length));
    };
    reinterpret_cast<uint4*>(memory.sums)[i] = {0, 0, 0, 0};
    reinterpret_cast<float4*>(memory.parts)[i] = {part(lengths[0]), part(lengths[1]),
                                                  part(lengths[2]), part(lengths[3])};
  }
}

}  // namespace or_pieces
}  // namespace warpdex::gpu
