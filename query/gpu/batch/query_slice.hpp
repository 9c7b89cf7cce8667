// A slice of a batch: some of its queries, with their terms and entries, measured by one thread.
// From this and the sizes of all slices before it, a thread writes its part of the image. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/and_block_ranges.hpp"
#include "gpu/batch/query_entries.hpp"
#include "gpu/batch/term_lists.hpp"
#include "gpu/batch/term_rows.hpp"
#include "gpu/layout/batch_shape.hpp"
#include "gpu/layout/layout.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// A term of a query.
struct SliceTerm {
  TermRow row;
  const PlannedTerm* planned;  ///< with several segments, in the plan of the whole
  std::uint64_t key;           ///< TermRows::key_of()
  std::uint32_t own_list;      ///< the first of its lists among those that the slice sends; kNone:
                               ///< the GPU has its row
  float weight;                ///< this and the next members are those of List
  float c0;
  float c1;
  float bound;
  float c2;

  const ListSource& list(std::size_t segment) const { return row.lists[segment].source; }
};

/// A query in neighbouring segments that have the same terms of it.
struct SegmentRun {
  TermSet present;  ///< these terms
  std::uint32_t begin;
  std::uint32_t end;
  QueryEntries entries;  ///< in each of the segments
  ListSums sums;         ///< of its lists
};

/// A query of a slice.
struct SliceQuery {
  /// The members that are the same in all segments, without the place in the batch.
  Query common;
  std::uint32_t or_threshold;  ///< Query::seed_threshold of OR
  /// Of a filtered query: a score that k matches are likely to reach, and the threshold may have
  /// come from; 0: there is none.
  float guess;
  bool counts;
  TermRoles roles;
  std::uint32_t first_term;  ///< in QuerySlice::terms; in the order of TermSet
  std::uint32_t term_count;
  std::uint32_t first_run;  ///< in QuerySlice::runs
  std::uint32_t run_count;
  std::uint32_t list_matches;
};

/// Has its own cache lines, since each thread writes its own slice.
struct alignas(64) QuerySlice {
  std::uint32_t begin = 0;  ///< the first state
  std::uint32_t end = 0;
  BatchShape shape;
  BatchShape before;               ///< sums of all slices before this one
  std::uint32_t short_ranges = 0;  ///< table_ranges if the batch has few postings

  std::vector<SliceQuery> queries;  ///< by state
  std::vector<SliceTerm> terms;
  std::vector<SegmentRun> runs;           ///< with entries
  std::vector<TermList> own_lists;        ///< of terms without a row; by term and segment
  std::vector<std::uint32_t> own_packed;  ///< of these lists
  AndBlockRanges and_ranges;
  AndBlockRanges and_fallback_ranges;
  std::vector<std::uint32_t> unanswerable;   ///< slots
  std::vector<const PostingsEntry*> stored;  ///< lists that no slice before it has claimed

  /// Forgets all but the states, and keeps its memory.
  void clear();
  /// Counts the ranges of AND, again if they were counted for another number of postings.
  void count_ranges(bool are_few) {
    shape.and_ranges = and_ranges.count(are_few);
    shape.and_fallback_ranges = and_fallback_ranges.count(are_few);
  }
  std::span<SliceTerm> terms_of(const SliceQuery& query) {
    return std::span(terms).subspan(query.first_term, query.term_count);
  }
  std::span<const SliceTerm> terms_of(const SliceQuery& query) const {
    return std::span(terms).subspan(query.first_term, query.term_count);
  }
  std::span<const SegmentRun> runs_of(const SliceQuery& query) const {
    return std::span(runs).subspan(query.first_run, query.run_count);
  }
  bool has_or(const SliceQuery& query) const {
    return std::ranges::any_of(runs_of(query),
                               [](const SegmentRun& run) { return run.entries.any_of_or(); });
  }
};

/// Memory that the lanes of an engine share to build batches.
struct QuerySlices {
  explicit QuerySlices(RowMemory memory = {}, std::size_t max_row_bytes = TermRows::kMaxBytes)
      : rows(memory, max_row_bytes) {}

  std::vector<QuerySlice> all;  ///< as many as the largest batch had; they keep their memory
  TermRows rows;                ///< of the snapshot, if one is searched
};

}  // namespace warpdex::gpu
