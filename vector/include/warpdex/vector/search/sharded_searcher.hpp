// Searchers of parts of a collection as one searcher of all of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/core/kept_threads.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// A searcher of some of the rows.
struct Shard {
  std::shared_ptr<const void> vectors;  ///< kept as long as the searcher, which reads them, or null
  std::unique_ptr<VectorSearcher> searcher;
  std::string name;  ///< stands before the messages of its errors, as "shard 1 on GPU 0"
};

/// What searchers of several others have in common.
class JointSearcher : public VectorSearcher {
 public:
  Metric metric() const override;
  std::size_t dimension() const override;
  GpuFigures figures() const override;
  bool is_resident() const override;

 protected:
  explicit JointSearcher(std::vector<Shard> parts) : parts_(std::move(parts)) {}

  std::vector<Shard> parts_;
  mutable KeptThreads threads_;
};

/// The rows of each shard follow those of the shard before. Each shard answers with the nearest of
/// its rows; these are merged by distance, then row. So the answers are those of one searcher of
/// all rows, to the bit, if a row's distance does not depend on the others.
class ShardedSearcher final : public JointSearcher {
 public:
  /// `at_once` shards search at the same time, each on a thread; 0: all. Throws UsageError for no
  /// shard, and for shards of different metrics or dimensions.
  explicit ShardedSearcher(std::vector<Shard> shards, std::size_t at_once = 0);

  std::size_t rows() const override { return begins_.back(); }

  /// k is from 1 to rows(). Throws as the shards do: UsageError as it is, other errors behind the
  /// shard's name. Memory: the answers, twice for each shard. Merging is O(answers * shards).
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override;

 private:
  template <class Answers, class Search>
  std::vector<Answers> ask_shards(const SearchOptions& options, const Search& search) const;

  std::vector<std::size_t> begins_;  ///< of each shard's rows; one more for the end
  std::size_t at_once_;
};

}  // namespace warpdex::vector
