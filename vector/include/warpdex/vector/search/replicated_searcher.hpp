// Several searchers of the same rows as one: each takes a part of the queries.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "warpdex/vector/search/sharded_searcher.hpp"

namespace warpdex::vector {

/// Cuts a batch of queries into contiguous parts, one for each replica, which are searched at the
/// same time, each on a thread. Successive batches begin with different replicas, so that small
/// batches use all of them.
class ReplicatedSearcher final : public JointSearcher {
 public:
  /// A Shard each, of all rows. Throws UsageError for no replica, and for replicas of different
  /// metrics, dimensions or numbers of rows.
  explicit ReplicatedSearcher(std::vector<Shard> replicas);

  std::size_t rows() const override { return parts_.front().searcher->rows(); }

  /// Throws as the replicas do: UsageError as one searcher would, other errors behind the
  /// replica's name. Memory: the answers, twice.
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override;

 private:
  template <class Take>
  void share_out(std::span<const float> queries, const Take& take) const;

  mutable std::atomic<std::size_t> next_{0};
};

}  // namespace warpdex::vector
