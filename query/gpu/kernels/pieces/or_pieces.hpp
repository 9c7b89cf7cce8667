// OR of a long query by pieces. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/layout/batch.hpp"

namespace warpdex::gpu {

/// Documents of a piece, at least and at most. Powers of two; a tile has several pieces.
inline constexpr std::uint32_t kMinPiece = 1024;
inline constexpr std::uint32_t kMaxPiece = 8192;
static_assert(kTileDocuments % kMaxPiece == 0);

/// Documents of a piece: the largest size of which every second CTA gets a piece, where the GPU
/// has room for `resident` CTAs at once; or kMinPiece.
constexpr std::uint32_t piece_size(std::uint32_t documents, std::uint32_t resident) {
  std::uint32_t size = kMaxPiece;
  while (size > kMinPiece && documents / size < resident / 2) size /= 2;
  return size;
}

/// Of kSampleStep neighbouring pieces, the sample takes the middle one, and of that the first of
/// kSampleParts parts.
inline constexpr std::uint32_t kSampleStep = 24;
inline constexpr std::uint32_t kSampleParts = 4;

/// Answers the only query of a batch, which is long. Follows launch_find_tile_blocks().
void launch_or_pieces(const OrRounds& batch, cudaStream_t stream);

}  // namespace warpdex::gpu
