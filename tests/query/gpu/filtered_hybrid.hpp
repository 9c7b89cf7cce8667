// Both processors' answers to searches by vectors with a filter, compared to the bit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gpu/hybrid/gpu_hybrid.hpp"
#include "query_threads.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

namespace warpdex::test {

inline constexpr std::array kFusionsOfHalves{Fusion::kReciprocalRank, Fusion::kConvex,
                                             Fusion::kRerank};

/// Queries with their vectors.
struct HybridQueries {
  std::vector<Query> queries;
  std::vector<float> vectors;

  HybridQueries(Living& living, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      queries.push_back(living.query());
      const std::vector<float> vector = living.new_vector();
      vectors.insert(vectors.end(), vector.begin(), vector.end());
    }
  }
  HybridQueries() = default;
};

/// Both processors' answers. Searches that HybridSearcher could leave to the CPU unseen are asked
/// from GpuHybrid itself.
class FilteredBoth {
 public:
  explicit FilteredBoth(const GpuVectors& vectors)
      : snapshot_(vectors.snapshot().snapshot()),
        cpu_(snapshot_, 2),
        gpu_(vectors, 2),
        threads_(2),
        on_gpu_(vectors, threads_) {}

  const Snapshot& snapshot() const { return snapshot_; }
  HybridSearcher& gpu() { return gpu_; }

  void expect_nearest(const HybridQueries& asked, std::uint32_t k, const DocumentFilter& filter) {
    const std::vector<SearchResult> wanted = cpu_.nearest(asked.vectors, k, {}, &filter);
    const auto found = on_gpu_.nearest(asked.vectors, k, {}, &filter);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(found[i], wanted[i].hits) << describe(filter) << ", k " << k << ", query " << i;
    }
  }

  /// By fusions whose halves depend on each other.
  void expect_within(const HybridQueries& asked, SearchSettings settings, std::uint32_t depth) {
    std::vector<PlannedQuery> plans;
    for (const Query& query : asked.queries) plans.push_back(plan_query(snapshot_, query));
    settings.count = false;
    const std::vector<SearchResult> wanted =
        cpu_.search(asked.queries, asked.vectors, settings, {.fusion = Fusion::kFilter});
    const std::vector<SearchResult> found = on_gpu_.filter(plans, asked.vectors, settings);
    expect_same(asked, wanted, found, settings, "filter");
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].matches, wanted[i].matches) << describe(*settings.documents);
    }
    depth = std::min(depth, on_gpu_.most_neighbors());
    expect_same(asked,
                cpu_.search(asked.queries, asked.vectors, settings,
                            {.fusion = Fusion::kNeighbors, .depth = depth}),
                on_gpu_.neighbors(plans, asked.vectors, settings, depth, {}), settings,
                "neighbors, depth " + std::to_string(depth));
  }

  void expect_fused(const HybridQueries& asked, const SearchSettings& settings,
                    std::uint32_t depth) {
    for (const Fusion fusion : kFusionsOfHalves) {
      const FusionSettings how{.fusion = fusion, .depth = depth};
      expect_same(asked, cpu_.search(asked.queries, asked.vectors, settings, how),
                  gpu_.search(asked.queries, asked.vectors, settings, how), settings,
                  "fusion " + std::to_string(static_cast<int>(fusion)));
    }
  }

 private:
  std::string describe(const DocumentFilter& filter) const {
    return std::to_string(filter.count) + " documents pass of " +
           std::to_string(snapshot_.documents()) + " in " +
           std::to_string(snapshot_.segments().size()) + " segments";
  }
  void expect_same(const HybridQueries& asked, const std::vector<SearchResult>& wanted,
                   const std::vector<SearchResult>& found, const SearchSettings& settings,
                   const std::string& what) const {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string query = what + ", " + describe(*settings.documents) + ", " +
                                reference::describe(asked.queries[i]) + " " +
                                reference::describe(settings);
      ASSERT_EQ(found[i].hits, wanted[i].hits) << query;
      ASSERT_EQ(found[i].fell_back_to_or, wanted[i].fell_back_to_or) << query;
    }
  }

  Snapshot snapshot_;
  HybridSearcher cpu_;
  HybridSearcher gpu_;
  QueryThreads threads_;
  gpu::GpuHybrid on_gpu_;
};

/// About one in `one_in` of the live documents; 0: none.
inline DocumentFilter draw_filter(std::mt19937_64& random, const Snapshot& snapshot,
                                  std::size_t one_in) {
  vector::RowFilter documents(snapshot.docid_end());
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const auto count = static_cast<std::uint32_t>(segment.index->counts().documents);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool is_drawn = one_in > 0 && random() % one_in == 0;
      if (is_drawn && !segment.index->removed().contains(i)) {
        documents.add(segment.first_document + i);
      }
    }
  }
  return filter_of(snapshot, documents);
}

/// One document, of those that are live.
inline DocumentFilter draw_one(std::mt19937_64& random, const Snapshot& snapshot) {
  const vector::RowFilter live = draw_filter(random, snapshot, 1).documents;
  vector::RowFilter documents(snapshot.docid_end());
  const std::size_t row = live.next_allowed(random() % live.rows());
  documents.add(row < live.rows() ? row : live.next_allowed(0));
  return filter_of(snapshot, documents);
}

}  // namespace warpdex::test
