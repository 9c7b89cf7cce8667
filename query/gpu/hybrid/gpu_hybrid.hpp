// The searches of HybridSearcher that read vectors in GPU memory: by vectors alone, and those in
// which one half works on what the other found. Plain C++; in a build without CUDA they throw.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex {
struct DocumentFilter;
class QueryThreads;
}  // namespace warpdex

namespace warpdex::gpu {

/// Used by one thread at a time. Plans are of the snapshot. Row i of `vectors`, all of them one
/// after the other, is the vector of query i. Searches throw Error if GPU memory does not suffice,
/// and CudaError.
class GpuHybrid {
 public:
  /// `threads`, which outlive it, do the host's part.
  GpuHybrid(const GpuVectors& vectors, QueryThreads& threads);
  ~GpuHybrid();

  /// Whether there are vectors on the GPU. Without them nothing below can be called.
  bool has_vectors() const;
  /// Whether all lists are there too, for filter() and neighbors().
  bool has_lists() const;
  /// The largest `count` of neighbors(): small GPUs have less shared memory to sort in.
  std::uint32_t most_neighbors() const;

  /// The k nearest of each query, as VectorHalf::nearest() finds them, among those documents that
  /// `filter` lets through, or all if it is null.
  std::vector<std::vector<Hit>> nearest(std::span<const float> vectors, std::uint32_t k,
                                        const vector::SearchOptions& depth,
                                        const DocumentFilter* filter);
  /// The hits of each query by words, ranked by their vectors; the k nearest.
  std::vector<SearchResult> rerank(std::span<const std::span<const Hit>> text,
                                   std::span<const float> vectors, std::uint32_t k);
  /// The k nearest among all documents that match. This and neighbors() heed settings.documents.
  std::vector<SearchResult> filter(std::span<const PlannedQuery> plans,
                                   std::span<const float> vectors, const SearchSettings& settings);
  /// The k best by words among the `count` nearest.
  std::vector<SearchResult> neighbors(std::span<const PlannedQuery> plans,
                                      std::span<const float> vectors,
                                      const SearchSettings& settings, std::uint32_t count,
                                      const vector::SearchOptions& depth);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::gpu
