// What one thread writes of a batch: some of its queries with their lists, in memory of its own.
// What is numbered counts from the piece's first; in the image, what all pieces before have comes
// first. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/batch/and_block_ranges.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/list_source.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// Apart from others in the cache, since each thread changes its own.
struct alignas(64) QueryPiece {
  std::uint32_t begin = 0;  ///< the first state
  std::uint32_t end = 0;
  BatchShape shape;
  BatchShape before;               ///< sums of all pieces before this one
  std::uint32_t short_ranges = 0;  ///< table_ranges if the batch has few postings

  std::vector<ListSource> lists;      ///< raw ones are packed, and without their place on the GPU
  std::vector<std::uint32_t> packed;  ///< raw lists
  // Queries by how they run; all without their candidates' place:
  std::vector<Query> and_queries;
  std::vector<Query> and_fallback_queries;
  std::vector<Query> or_queries;
  std::vector<Query> final_queries;         ///< by state
  std::vector<std::uint32_t> list_matches;  ///< by state
  std::vector<ListSpan> list_spans;         ///< by state and segment, where there are several
  std::vector<QueryTiles> query_tiles;      ///< likewise, of queries with entries of OR
  AndBlockRanges and_ranges;
  AndBlockRanges and_fallback_ranges;
  std::vector<std::uint32_t> unanswerable;   ///< slots
  std::vector<const PostingsEntry*> stored;  ///< lists that no piece before it has claimed

  /// Forgets all but the states, and keeps its memory.
  void clear();
  /// Counts the ranges of AND, again if they were counted for another number of postings.
  void count_ranges(bool are_few) {
    shape.and_ranges = and_ranges.count(are_few);
    shape.and_fallback_ranges = and_fallback_ranges.count(are_few);
  }
};

}  // namespace warpdex::gpu
