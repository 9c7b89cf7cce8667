// The searches of GpuSegmentSearcher for one block of queries: what each needs of GPU memory, and
// what it queues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "flat/gpu/answers.hpp"
#include "flat/gpu/page_search.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::vector {

/// A segment on the GPU.
struct DeviceSegment {
  std::shared_ptr<const GpuSegmentVectors> vectors;
  const GpuRows* rows = nullptr;
  std::uint32_t first_row = 0;
  std::uint32_t first_word = 0;
  AccountedBuffer live;  ///< where not all are live: places of those that are, then their numbers
  DeviceChoice choice;

  RowPage page() const { return {rows->rows(), choice}; }
};

/// All segments, one after the other.
struct AllSegments {
  /// `order` names the largest segments first: these make the lowest limits.
  AllSegments(const std::vector<DeviceSegment>& all, const std::vector<std::size_t>& order,
              std::size_t queries, std::size_t k);
  void lay_out(Arena& arena);
  /// Queues the search; waits for what products leave open.
  void run(const DeviceQueries& queries, const DeviceAnswers& answers, Workspace& workspace);

  std::vector<const DeviceSegment*> parts;
  std::vector<PageSearch> searches;
};

/// The rows of sets.
struct WithinSets {
  WithinSets(std::size_t queries, std::size_t k, std::size_t set_words)
      : rank(queries, k, set_words), count(queries), words(set_words) {}

  void lay_out(Arena& arena) {
    sets = {arena.take<std::uint32_t>(count * words), words};
    rank.lay_out(arena);
  }

  RankSearch rank;
  std::size_t count;
  std::size_t words;
  GpuRowSets sets{};
};

/// The rows of sets that are near anyway.
struct PassingSets {
  PassingSets(const std::vector<DeviceSegment>& parts, const std::vector<std::size_t>& order,
              std::size_t queries, std::size_t k, std::size_t wide_k, std::size_t set_words)
      : all(parts, order, queries, wide_k), within(queries, k, set_words), count(queries) {
    wide.k = static_cast<std::uint32_t>(wide_k);
  }

  void lay_out(Arena& arena) {
    all.lay_out(arena);
    within.lay_out(arena);
    wide.values = arena.take<float>(count * wide.k);
    wide.ids = arena.take<std::uint32_t>(count * wide.k);
    is_settled = arena.take<std::uint32_t>(count);
  }

  AllSegments all;
  WithinSets within;
  std::size_t count;
  DeviceAnswers wide;
  std::uint32_t* is_settled = nullptr;
};

/// Listed rows.
struct AmongListed {
  AmongListed(std::size_t queries, std::size_t k, std::size_t longest_list)
      : rank(queries, k, longest_list), count(queries), longest(longest_list) {}

  void lay_out(Arena& arena) {
    listed = arena.take<std::uint32_t>(count * longest);
    begins = arena.take<std::uint32_t>(count + 1);
    rank.lay_out(arena);
  }

  RankSearch rank;
  std::size_t count;
  std::size_t longest;
  std::uint32_t* listed = nullptr;
  std::uint32_t* begins = nullptr;
};

}  // namespace warpdex::vector
