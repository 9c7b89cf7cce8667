// Launches the kernels of phrases. Internal.
#pragma once

#include <cstdint>

#include "gpu/phrases/phrase_batch.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Queues the search of all items: documents with the phrase become candidates.
void launch_find_phrases(const PhraseBatch& batch, CodecKind codec, const Stream& stream);

/// The largest Batch::k that the current GPU has the shared memory for.
std::uint32_t most_phrase_hits();
/// Queues the selection of the k best candidates of each query.
void launch_select_phrases(const PhraseBatch& batch, const Stream& stream);

}  // namespace warpdex::gpu
