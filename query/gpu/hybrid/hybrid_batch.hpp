// What the kernels of hybrid search read: queries with their lists in every segment. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/batch.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::gpu {

/// A flag of lists beside ListFlags, of which kRequired is for AND alone.
inline constexpr std::uint32_t kMust = 16;  ///< a match must have the term in every mode
static_assert((kMust & (kRaw | kRequired | kProhibited | kHugeFrequencies)) == 0);

/// How a query is read: as AND, or as OR.
enum Reading : std::uint32_t { kReadOr = 0, kReadAnd = 1, kReadings = 2 };

/// A query in one segment. Its lists are in canonical order, prohibited ones last.
struct SegmentQuery {
  std::uint32_t first_list;
  std::uint32_t scoring_lists;
  std::uint32_t prohibited_lists;
  bool is_empty[kReadings];  ///< nothing can match, by Reading
};

/// A segment. Its documents have spaced docIDs in lists, and those of the snapshot in answers.
struct HybridSegment {
  Lengths lengths;               ///< these two by spaced docID
  const float* static_scores;    ///< or null
  const std::uint32_t* removed;  ///< a bit for each of its documents, or null
  std::uint32_t first_document;  ///< spaced
  std::uint32_t documents;
  std::uint32_t snapshot_document;  ///< its first document in the snapshot
  std::uint32_t first_word;         ///< in sets of rows
};

/// Of Batch it has the lists, exception_tails and scorer.
struct HybridBatch : Batch {
  const HybridSegment* segments;
  const SegmentQuery* segment_queries;  ///< by query and segment
  std::uint32_t segment_count;
  std::uint32_t query_count;
  QueryMode mode;
  std::uint32_t min_matches;  ///< kAndOr: with fewer matches of AND, OR answers
};

/// The search for the sets of all documents that match.
struct MatchBatch : HybridBatch {
  std::uint32_t* sets;  ///< set_words for each query
  std::uint32_t set_words;
  std::uint32_t* matches;  ///< by Reading and query; zeros before
};

/// What a search within a query's neighbours finds, beside the hits.
struct NeighborAnswer {
  std::uint32_t hits;       ///< how many there are
  std::uint32_t matches;    ///< neighbours that match
  std::uint32_t fell_back;  ///< AND with OR: the answer is OR's
};
/// The search by words within each query's neighbours.
struct NeighborBatch : HybridBatch {
  const std::int32_t* neighbors;  ///< `depth` docIDs of the snapshot for each query; -1: missing
  std::uint32_t depth;
  Hit* hits;  ///< Batch::k for each query
  NeighborAnswer* answers;
};

}  // namespace warpdex::gpu
