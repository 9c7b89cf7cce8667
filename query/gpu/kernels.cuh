// The kernels' launches, in the order in which a batch needs them. Each throws CudaError if it
// cannot start. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/query/gpu/layout.hpp"

namespace warpdex::gpu {

/// AND: matches of the chunks of each driver become candidates.
void launch_and_chunks(const Batch& batch, CodecKind codec, cudaStream_t stream);

/// OR: the tables of tiles.
void launch_find_tile_blocks(const Batch& batch, cudaStream_t stream);
/// OR: bounds of tiles, their order, and the queries' first thresholds.
void launch_order_tiles(const Batch& batch, cudaStream_t stream);
/// OR: the best documents of all tiles become candidates.
void launch_or_tiles(const Batch& batch, CodecKind codec, cudaStream_t stream);

/// Candidates at or above the last threshold become survivors.
void launch_gather(const Batch& batch, cudaStream_t stream);
/// Survivors get their exact scores.
void launch_rescore(const Batch& batch, CodecKind codec, cudaStream_t stream);
/// The best of them, `most_k` or fewer of a query, are sorted and written to the host.
void launch_select(const Batch& batch, std::uint32_t most_k, cudaStream_t stream);

}  // namespace warpdex::gpu
