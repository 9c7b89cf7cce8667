// Several searchers of the same rows as one: each takes a part of the queries.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "warpdex/core/kept_threads.hpp"
#include "warpdex/vector/search/sharded_searcher.hpp"
#include "warpdex/vector/search/vector_searcher.hpp"

namespace warpdex::vector {

/// Cuts a batch of queries into contiguous parts, one for each replica, which are searched at the
/// same time, each on a thread. Successive batches begin with different replicas, so that small
/// batches use all of them.
class ReplicatedSearcher final : public VectorSearcher {
 public:
  /// A Shard each, of all rows. Throws UsageError for no replica, and for replicas of different
  /// metrics, dimensions or numbers of rows.
  explicit ReplicatedSearcher(std::vector<Shard> replicas);

  Metric metric() const override;
  std::size_t dimension() const override;
  std::size_t rows() const override;

  /// Throws as the replicas do: UsageError as one searcher would, other errors behind the
  /// replica's name. Memory: the answers, twice.
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const RowFilter* filter = nullptr) const override;
  Neighbors nearest_by_codes(std::span<const float> queries, std::size_t k,
                             const RowFilter* filter = nullptr) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const RowFilter* filter = nullptr) const override;

  GpuFlatFigures figures() const override;
  bool is_resident() const override;

 private:
  Neighbors nearest_by(NearestSearch search, std::span<const float> queries, std::size_t k,
                       const RowFilter* filter) const;
  template <class Take>
  void share_out(std::span<const float> queries, const Take& take) const;

  std::vector<Shard> replicas_;
  mutable std::atomic<std::size_t> next_{0};
  mutable KeptThreads threads_;
};

}  // namespace warpdex::vector
