// Launches the kernels of hybrid search. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/hybrid/hybrid_batch.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Queues the writing of all sets, without removed documents, and of the numbers of matches.
void launch_match(const MatchBatch& batch, CodecKind codec, const Stream& stream);
/// Queues the writing of all sets: those of `query_count` queries are all documents but removed
/// ones. Of `batch` it reads the segments and the sets.
void launch_fill_live(const MatchBatch& batch, const Stream& stream);

/// The largest NeighborBatch::depth that the current GPU has the shared memory for.
std::uint32_t most_neighbors();
/// Queues the search by words within the neighbours of each query: the k best that match.
void launch_score_neighbors(const NeighborBatch& batch, CodecKind codec, const Stream& stream);

}  // namespace warpdex::gpu
