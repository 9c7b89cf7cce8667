// Counts columns over the matches of one query in the documents of one shard. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "columns/value_counts.hpp"
#include "gpu/facets/column_store.hpp"
#include "gpu/hybrid/hybrid_segment.hpp"
#include "gpu/hybrid/query_lists.hpp"
#include "query_threads.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time. Columns are uploaded when they are first counted.
struct FacetCounter {
  explicit FacetCounter(const GpuSnapshot& searched);

  /// Numbers of matches, by the mode.
  struct Matches {
    std::uint64_t of_and = 0;
    std::uint64_t of_or = 0;
  };

  /// A column of a facet in one of `segments`, with its tables behind the sets.
  struct Count {
    std::size_t facet;
    std::size_t segment;
    PlacedColumn column;
    std::size_t first;  ///< of its numbers: documents with values, then the tables
    std::size_t size() const {
      return 1 + std::size_t{column.entries} * (column.begins == nullptr ? 1 : 2);
    }
  };

  bool can_count(const PlannedQuery& plan) const { return has_lists && !excludes_words(plan); }
  bool find_columns(std::span<const FacetRequest> wanted);
  bool find_segments(const DocumentFilter* filter);
  bool take_memory();
  void match(const PlannedQuery& plan, const SearchSettings& settings);
  void count_values();
  bool start(const PlannedQuery& plan, const SearchSettings& settings,
             std::span<const FacetRequest> wanted);
  void add_matches(Matches& sum) const;
  void add_counts(std::size_t facet, std::size_t place, std::vector<ValueCounts>& to) const;

  const GpuSnapshot snapshot;
  QueryThreads threads{1};
  bool has_lists = false;
  std::vector<std::size_t> numbers;  ///< of the segments that have documents
  std::size_t set_words = 0;         ///< of the set of all of them
  Stream stream;
  std::optional<QueryLists> lists;
  ColumnStore columns;
  std::vector<HybridSegment> segments;  ///< those of `numbers`, without what the filter leaves out
  std::vector<FilterSets::Set> filters;
  std::vector<Count> counts;
  std::size_t numbers_to_come = 0;  ///< of the host: kReadings matches, then those of `counts`
  AccountedBuffer memory;
  PinnedBuffer host;
  HybridSegment* table = nullptr;  ///< these are parts of `memory`
  std::uint32_t* set = nullptr;
  std::uint32_t* found = nullptr;
};

}  // namespace warpdex::gpu
