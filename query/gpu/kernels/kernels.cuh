// The kernels' launches, in the order in which a batch needs them. Each throws CudaError if it
// cannot start. Internal.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <span>

#include "gpu/layout/layout.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::gpu {

/// Whether each kernel waits for the one before, so that its launch may overlap that one's end: a
/// matter of the GPU, and of the architecture that the code was compiled for. Throws CudaError.
bool launches_may_overlap();

/// What a small batch brings, in words of 16 bytes.
struct Fetched {
  const uint4* from;  ///< in the host's memory, by its address on the GPU
  uint4* to;
  std::uint32_t words;
  uint4* cleared;
  std::uint32_t cleared_words;
};
/// Brings it, and clears.
void launch_fetch(const Batch& batch, const Fetched& image, cudaStream_t stream);

/// Bytes that the parsed tails of a batch's lists take: none but for `pfor`.
std::size_t tails_bytes(CodecKind codec, std::size_t lists);
/// Parses the tails of all lists, where there are such.
void launch_parse_tails(const Batch& batch, CodecKind codec, cudaStream_t stream);

/// AND: matches of the chunks of each driver become candidates.
void launch_and_chunks(const Batch& batch, CodecKind codec, cudaStream_t stream);

/// OR: the tables of tiles. The following only if there are queries of OR.
void launch_find_tile_blocks(const Batch& batch, cudaStream_t stream);
/// Words of 16 bytes that fit, beside a Batch, the 4 KiB that a kernel's arguments can always have.
inline constexpr std::uint32_t kCarriedWords = 224;

/// What a single query of OR brings, if it is little: an argument of its first kernel. This puts it
/// where the others read it, adds the stretches of its lists, and clears what the next such query
/// counts in.
struct Carried {
  Stretch* stretches;
  uint4* to;
  uint4* cleared;
  std::uint32_t words;
  std::uint32_t cleared_words;
  uint4 content[kCarriedWords];
};

/// OR: bounds of tiles. `carried`: what the only query brings, or null if all is there.
void launch_bound_tiles(const Batch& batch, const Carried* carried, cudaStream_t stream);
/// OR: sorts out what is to be done in a round. In each, this comes first, then the next.
void launch_begin_round(const Batch& batch, std::uint32_t round, cudaStream_t stream);
/// OR, one after the other: finds the blocks that may decide, finds the documents in them that may,
/// and makes candidates of those that do.
void launch_find_blocks(const Batch& batch, std::uint32_t round, cudaStream_t stream);
void launch_read_blocks(const Batch& batch, std::uint32_t round, CodecKind codec,
                        cudaStream_t stream);
void launch_look_up_chunks(const Batch& batch, std::uint32_t round, CodecKind codec,
                           cudaStream_t stream);
/// OR: the last two in one, which needs no room for documents.
void launch_search_blocks(const Batch& batch, std::uint32_t round, CodecKind codec,
                          cudaStream_t stream);
/// OR of few postings, instead of rounds: documents of blocks that may decide become candidates.
void launch_or_at_once(const Batch& batch, CodecKind codec, cudaStream_t stream);
/// OR: the best documents of tiles become candidates: pass 0 follows round 0, pass 1 the last.
void launch_or_tiles(const Batch& batch, std::uint32_t pass, CodecKind codec, cudaStream_t stream);

/// OR as it is done for comparison, instead of all that follows the tables: adds everything up in
/// global memory, some queries at a time.
void launch_or_accumulators(const Batch& batch, std::span<const Wave> waves, CodecKind codec,
                            cudaStream_t stream);

/// Candidates that reach the last threshold get their exact scores; the best of each query are
/// sorted and written to the host.
void launch_finish(const Batch& batch, CodecKind codec, cudaStream_t stream);

}  // namespace warpdex::gpu
