// A batch of OR by blocks of documents, as its kernel reads it. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Terms of a query in a segment, at most.
inline constexpr std::uint32_t kMostBlockTerms = 64;
/// Documents of an answer, at most.
inline constexpr std::uint32_t kMostBlockHits = 512;
/// Lists begin at so many bytes.
inline constexpr std::uint32_t kBlockListUnit = 8;

/// The blocks of a segment.
struct PlacedBlocks {
  const std::uint8_t* lists;
  const std::uint32_t* begins;   ///< by term: of its list, in kBlockListUnit
  const std::uint32_t* removed;  ///< a bit for each document; null: none
  std::uint32_t superblocks;
  std::uint32_t first_document;  ///< its docID in the snapshot
};

/// A term of a query in a segment.
struct BlockTerm {
  std::uint32_t number;
  float weight;  ///< above 0
};

struct BlockQuery {
  std::uint32_t first_term;  ///< in BlockBatch::terms
  std::uint32_t k;           ///< 1 to kMostBlockHits
  float slack;               ///< sum_slack()
  float threshold;           ///< documents below need not be found
};

struct BlockBatch {
  const PlacedBlocks* segments;
  const BlockQuery* queries;
  const std::uint32_t* term_ends;  ///< by query and segment: of its terms, which follow each other
  const BlockTerm* terms;          ///< of a segment in the canonical order
  std::uint32_t* counts;           ///< by query: of hits
  Hit* hits;                       ///< `most` for each query, the best first
  std::uint32_t query_count;
  std::uint32_t segment_count;
  std::uint32_t most;         ///< the largest k
  std::uint32_t superblocks;  ///< BlockShape::superblocks
  std::uint32_t threads;      ///< BlockShape::threads
};

/// So many superblocks of a segment are ordered together at most. More would leave no room for
/// other CTAs.
inline constexpr std::uint32_t kOrderedSuperblocks = 16'384;
/// How a batch is launched.
struct BlockShape {
  std::uint32_t threads;      ///< of a CTA
  std::uint32_t superblocks;  ///< that it orders together; 0: the GPU has no room for such a batch
};
/// For a GPU whose CTAs can have so much shared memory, answers of `most` documents, and segments
/// of which `superblocks` are to be ordered together.
BlockShape block_shape(std::size_t shared_memory, std::uint32_t most, std::uint32_t superblocks);

/// Answers all queries. Throws CudaError if the kernel cannot start.
void launch_search_blocks(const BlockBatch& batch, const Stream& stream);

}  // namespace warpdex::gpu
