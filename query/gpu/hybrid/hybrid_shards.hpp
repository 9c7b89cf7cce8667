// GpuHybrid over the shards of a snapshot: each searches its documents, and what they find is put
// together. Plain C++. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/hybrid/gpu_hybrid.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::gpu {

/// As GpuHybrid. All shards are searched at the same time, each from a thread.
class HybridShards {
 public:
  /// In the order of their docIDs; those without documents are left out.
  HybridShards(std::span<const GpuVectors> shards, QueryThreads& threads);

  bool has_vectors() const;
  bool has_lists() const;
  /// Whether filter() can answer in this mode: and-or counts the matches of all shards first.
  bool can_filter(QueryMode mode) const { return shards_.size() == 1 || mode != QueryMode::kAndOr; }
  /// 0 of several shards: the nearest of all come first.
  std::uint32_t most_neighbors() const;

  std::vector<std::vector<Hit>> nearest(std::span<const float> vectors, std::uint32_t k,
                                        const vector::SearchOptions& depth,
                                        const DocumentFilter* filter);
  std::vector<SearchResult> rerank(std::span<const std::span<const Hit>> text,
                                   std::span<const float> vectors, std::uint32_t k);
  std::vector<SearchResult> filter(std::span<const PlannedQuery> plans,
                                   std::span<const float> vectors, const SearchSettings& settings);
  std::vector<SearchResult> neighbors(std::span<const PlannedQuery> plans,
                                      std::span<const float> vectors,
                                      const SearchSettings& settings, std::uint32_t count,
                                      const vector::SearchOptions& depth);

 private:
  struct Shard {
    std::unique_ptr<GpuHybrid> hybrid;
    std::uint32_t first_document;
    std::uint32_t end_document;
  };
  using SearchShard = std::function<std::vector<SearchResult>(const Shard&)>;

  std::vector<SearchResult> search(std::uint32_t k, const SearchShard& search_shard) const;

  vector::Metric metric_;
  std::vector<Shard> shards_;
};

}  // namespace warpdex::gpu
