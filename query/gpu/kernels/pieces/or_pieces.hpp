// OR of a long query by pieces. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/layout/batch.hpp"

namespace warpdex::gpu {

/// Documents of a piece, at least. A power of two.
inline constexpr std::uint32_t kMinPiece = 1024;
/// The sample is the beginning of one piece of so many, in the middle of them, and a part of it.
inline constexpr std::uint32_t kSampleStep = 24;
inline constexpr std::uint32_t kSampleParts = 4;

/// Answers the only query of a batch, which is long. Follows launch_find_tile_blocks().
void launch_or_pieces(const OrRounds& batch, cudaStream_t stream);

}  // namespace warpdex::gpu
