// Searches of text and vectors together.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/hybrid/fusion.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {

/// Answers queries that have words and a vector. Answers are those of an index that is built at
/// once from the live documents. Used by one thread at a time.
class HybridSearcher {
 public:
  /// Answers text queries in their order.
  using TextSearch =
      std::function<std::vector<TreeResult>(std::span<const Query>, const SearchSettings&)>;

  /// `threads` of 0: default_threads(). `text_search` answers the text half of rrf, convex and
  /// rerank; if it is empty, a CpuEngine does, and trees (Query::tree) are refused. Vectors are
  /// those of `set`, one of vector_sets(). Throws UsageError if the index holds no vectors.
  explicit HybridSearcher(const Snapshot& snapshot, std::size_t threads = 0,
                          TextSearch text_search = {}, std::size_t set = 0);
  /// Likewise on the GPU that has the snapshot and its vectors, which the searcher shares. Answers
  /// are the same, to the bit. Text and vectors are searched at the same time. The CPU does the
  /// work for which there is too little GPU memory. If `text_search` is empty, a GpuEngine
  /// searches.
  explicit HybridSearcher(const GpuVectors& vectors, std::size_t threads = 0,
                          TextSearch text_search = {});
  /// Likewise on the GPUs that have the shards of `snapshot` and their vectors, in the order of
  /// their docIDs. Of several shards the CPU does the text's part of neighbors, and filter with
  /// and-or.
  HybridSearcher(const Snapshot& snapshot, std::span<const GpuVectors> shards,
                 std::size_t threads = 0, TextSearch text_search = {});
  ~HybridSearcher();
  HybridSearcher(HybridSearcher&&) noexcept;
  HybridSearcher& operator=(HybridSearcher&&) noexcept;

  /// Row i of `vectors` is the vector of query i. The settings' mode and scorer apply to the text
  /// half; up to k documents are returned for each query. The CPU matches trees. Scores of rrf and
  /// convex are the fusion's, of rerank and filter the metric's (see scores_are_distances()), of
  /// neighbors the text's. Throws UsageError for settings out of range and for a number of floats
  /// other than queries times the dimension; FormatError for damage that a query meets.
  std::vector<SearchResult> search(std::span<const Query> queries, std::span<const float> vectors,
                                   const SearchSettings& settings, const FusionSettings& fusion);
  /// TreeResult::was_cut of a query of the last search().
  bool was_cut(std::size_t query) const;

  /// Searches by vectors alone: the k nearest documents of each row of `vectors`. Of `depth`,
  /// probes and refine count. `documents`, if it is not null, are those that may be found.
  std::vector<SearchResult> nearest(std::span<const float> vectors, std::uint32_t k,
                                    const FusionSettings& depth = {},
                                    const DocumentFilter* documents = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
