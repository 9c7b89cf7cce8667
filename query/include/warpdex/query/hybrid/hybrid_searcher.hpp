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

namespace warpdex {

/// Answers queries that have words and a vector. Answers are those of an index that is built at
/// once of what is live. One thread at a time.
class HybridSearcher {
 public:
  /// Answers text queries in their order.
  using TextSearch =
      std::function<std::vector<SearchResult>(std::span<const Query>, const SearchSettings&)>;

  /// `threads` of 0: default_threads(). `text_search` finds the text half of rrf, convex and
  /// rerank; none: a CpuEngine does. Throws UsageError if the index holds no vectors.
  explicit HybridSearcher(const Snapshot& snapshot, std::size_t threads = 0,
                          TextSearch text_search = {});
  /// Likewise on the GPU that has the snapshot and its vectors, all of which it shares: the same
  /// answers, to the bit. Text and vectors are searched at the same time. What there is no GPU
  /// memory for, the CPU does. `text_search` of none: a GpuEngine.
  explicit HybridSearcher(const GpuVectors& vectors, std::size_t threads = 0,
                          TextSearch text_search = {});
  ~HybridSearcher();
  HybridSearcher(HybridSearcher&&) noexcept;
  HybridSearcher& operator=(HybridSearcher&&) noexcept;

  /// Query i goes with row i of `vectors`. The settings' mode and scorer are those of the text
  /// half; k documents are returned. Scores are the fusion's: of rerank and filter the metric's, of
  /// neighbors the text's. Throws UsageError for settings out of range, for more or fewer vectors
  /// than queries, and for another dimension; FormatError for damage that a query meets.
  std::vector<SearchResult> search(std::span<const Query> queries, std::span<const float> vectors,
                                   const SearchSettings& settings, const FusionSettings& fusion);

  /// By vectors alone: the k nearest.
  std::vector<SearchResult> nearest(std::span<const float> vectors, std::uint32_t k);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
