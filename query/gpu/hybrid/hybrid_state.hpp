// What the searches of GpuHybrid share. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gpu/hybrid/gpu_hybrid.hpp"
#include "gpu/hybrid/gpu_vectors_state.hpp"
#include "gpu/hybrid/hybrid_batch.hpp"
#include "gpu/hybrid/query_lists.hpp"
#include "gpu/hybrid/set_groups.hpp"
#include "gpu/lists/filter_sets.hpp"
#include "query_threads.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::gpu {

/// The answer of `k` rows, or of fewer if some are missing.
std::vector<Hit> hits_of(const std::int32_t* rows, const float* distances, std::size_t k);

/// The segments as a filter leaves them.
struct FilteredSegments {
  HybridSegment* table;                     ///< in GPU memory
  std::vector<HybridSegment> entries = {};  ///< of the table; none: they are there
  std::vector<FilterSets::Set> bits = {};   ///< which the entries refer to

  /// The table, for what is queued in `stream` next.
  const HybridSegment* upload(const Stream& stream) const;
};

struct GpuHybrid::State {
  State(const GpuVectors& searched, QueryThreads& use_threads);

  void upload_segments();
  /// The segments without what `filter` leaves out; null: as they are. Those with lists or codes
  /// have no documents if `only_unlisted`. What was made before must not be in use. Throws Error if
  /// there is too little GPU memory.
  FilteredSegments leave_out_of(const DocumentFilter* filter, bool only_unlisted = false);
  /// How many of the documents here a filter lets through.
  std::uint64_t passing(const DocumentFilter& filter) const;
  /// Uploads the lists of queries. Work that is queued in `stream` can read them. The batch has all
  /// segments as they are without a filter.
  HybridBatch start_batch(std::span<const PlannedQuery* const> plans,
                          const SearchSettings& settings, const Stream& stream);
  /// GPU memory for what is queued next; nothing may use it any more. Throws Error if there is too
  /// little.
  void* take_scratch(std::size_t bytes);
  /// Likewise page-locked memory.
  void* take_pinned(std::size_t bytes);

  /// The k nearest documents of each query, compared with all vectors of some segments.
  std::vector<std::vector<Hit>> nearest_of_all(const vector::GpuSegmentSearcher& all,
                                               std::span<const float> queries,
                                               std::uint32_t k) const;
  /// Those that a filter lets through, of all segments, or of those without lists and codes.
  std::vector<std::vector<Hit>> nearest_filtered(std::span<const float> queries, std::uint32_t k,
                                                 const DocumentFilter& filter, bool only_unlisted);
  /// Those of all segments, where some have lists or codes; `filter` may be null.
  std::vector<std::vector<Hit>> nearest_in_lists(std::span<const float> queries, std::uint32_t k,
                                                 const vector::SearchOptions& depth,
                                                 const DocumentFilter* filter);
  /// Adds the k best of each query's candidates, ranked by their vectors.
  void refine(std::span<const float> queries, std::uint32_t k,
              std::span<const std::vector<Hit>> candidates,
              std::vector<std::vector<Hit>>& hits) const;
  /// The documents found for some queries, `near` a query, -1 where they are fewer, for what is
  /// queued in `stream` next. Throws Error if there is too little memory.
  AccountedBuffer upload_rows(std::span<const std::vector<Hit>> found, std::size_t near,
                              const Stream& stream) const;

  /// Hands the answers of queries to take(query, hits), on many threads.
  template <class Take>
  vector::GpuSegmentSearcher::TakeAnswers taker(std::size_t k, Take take) const {
    return [this, k, take](std::size_t first, std::size_t count, const std::int32_t* rows,
                           const float* distances) {
      threads.for_each(count, [&](std::size_t i) {
        take(first + i, hits_of(rows + i * k, distances + i * k, k));
      });
    };
  }

  /// group_sets() for the k nearest of all segments.
  SetGroups group(std::span<const double> shares, std::uint32_t k) const;

  const vector::GpuSegmentSearcher& searcher() const { return *vectors.state().searcher; }
  const Snapshot& snapshot() const { return vectors.snapshot().snapshot(); }
  std::size_t dimension() const { return vectors.state().settings.dimension; }
  Resources& resources() const { return vectors.snapshot().state().resources; }

  GpuVectors vectors;
  QueryThreads& threads;
  std::vector<const GpuSnapshot::State::Segment*> segments;  ///< with documents
  bool has_lists = false;
  CodecKind codec = CodecKind::kBitpack;
  AccountedBuffer table;           ///< HybridSegment of each
  AccountedBuffer filtered_table;  ///< likewise, as the last filter leaves them
  std::optional<QueryLists> lists;
  AccountedBuffer scratch;
  PinnedBuffer pinned;
};

}  // namespace warpdex::gpu
