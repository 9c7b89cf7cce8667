// Launches the kernels of a batch, in the order in which it needs them. Each function throws
// CudaError if a kernel cannot start. Internal.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include "gpu/layout/batch.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::gpu {

/// The image of a small batch, in words of 16 bytes.
struct ImageFetch {
  const uint4* from;  ///< host memory, by its address on the GPU
  uint4* to;
  std::uint32_t words;
  uint4* cleared;
  std::uint32_t cleared_words;
};
/// Copies the image to the GPU and clears the counters. If it `overlaps`, it may start while the
/// kernel before ends.
void launch_fetch(const ImageFetch& image, bool overlaps, cudaStream_t stream);

/// Adds a number to `count` numbers, as when a segment is placed behind others.
void launch_add(std::uint32_t* numbers, std::size_t count, std::uint32_t added,
                cudaStream_t stream);

/// Bytes of the parsed exception tails of a batch's lists: 0 for codecs other than `pfor`.
std::size_t tails_bytes(CodecKind codec, std::size_t lists);
/// Parses the tails of all lists, if the codec is `pfor`.
void launch_parse_tails(const Batch& batch, CodecKind codec, cudaStream_t stream);

/// AND: matches of each driver's chunks become candidates.
void launch_and_chunks(const AndBatch& batch, CodecKind codec, cudaStream_t stream);

/// OR: fills the table of each list's first block by tile. This and all others of OR are launched
/// only if there are queries of OR.
void launch_find_tile_blocks(const OrTables& batch, cudaStream_t stream);
/// OR, before the second round, and before the first where documents are looked up in decoded
/// lists: estimates what decoding each list once for all queries would save.
void launch_weigh_stored(const OrRounds& batch, std::uint32_t round, cudaStream_t stream);
/// OR, behind it: decodes each list of the batch once, if that saves more than it costs.
void launch_store_lists(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                        cudaStream_t stream);
/// OR: upper bounds of tiles.
void launch_bound_tiles(const OrTables& batch, cudaStream_t stream);
/// OR: decides how each tile of a round is answered. The first kernel of each round.
void launch_begin_round(const OrRounds& batch, std::uint32_t round, cudaStream_t stream);
/// OR, in this order: finds the competitive blocks, then the competitive documents in them, and
/// looks these up; those that reach the threshold become candidates.
void launch_find_blocks(const OrRounds& batch, std::uint32_t round, cudaStream_t stream);
void launch_read_blocks(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                        cudaStream_t stream);
void launch_look_up_chunks(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                           cudaStream_t stream);
/// OR: the last two in one kernel, which needs no room for documents.
void launch_search_blocks(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                          cudaStream_t stream);
/// OR of few postings, by bound instead of in rounds: documents of competitive blocks become
/// candidates.
void launch_or_by_bound(const OrByBound& batch, CodecKind codec, cudaStream_t stream);
/// What the current GPU has room for where tiles are accumulated for such a batch: OrTables has it.
TileRoom tile_room(const Batch& batch, CodecKind codec);
/// OR: accumulates tiles; their best documents become candidates. Pass 0 follows round 0, pass 1
/// follows the last round.
void launch_or_tiles(const OrRounds& batch, std::uint32_t pass, CodecKind codec,
                     cudaStream_t stream);

/// Whether the current GPU has the shared memory for the next one.
bool can_search_stored();
/// OR: looks documents up in lists decoded once, in the tiles that were left to these: after the
/// first round, then after the last those of all later rounds.
void launch_search_stored(const OrRounds& batch, std::uint32_t round, cudaStream_t stream);
/// OR: accumulates the tiles that the last round left to lists decoded once for all queries.
void launch_add_stored(const OrRounds& batch, cudaStream_t stream);

/// Candidates that reach the last threshold get their exact scores, if FinishBatch::rescores_apart.
void launch_rescore_survivors(const FinishBatch& batch, CodecKind codec, cudaStream_t stream);
/// Candidates that reach the last threshold get their exact scores; the best of each query are
/// sorted and written to host memory. Calls launch_rescore_survivors() if it is wanted.
void launch_finish(const FinishBatch& batch, CodecKind codec, cudaStream_t stream);

}  // namespace warpdex::gpu
