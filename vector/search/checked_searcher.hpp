// The search of a whole index, above its segments, shards and replicas: takes any k, and checks
// range searches of codes by the vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/search/stored_rows.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// A k above the rows leaves places missing.
///
/// Within a radius, where an index of codes keeps its vectors, candidates are taken by codes, and
/// those stay whose canonical distances are within. Candidates are all whose distances by codes are
/// within the radius and a margin. Of codes with corrections the margin is what the largest
/// residual allows, so nothing is missed. Of others it is the largest difference between distances
/// by codes and canonical ones among the max(kSample, refine) nearest by codes and all candidates:
/// what differs by more is missed.
class CheckedSearcher final : public VectorSearcher {
 public:
  /// Candidates whose distances tell how far codes are off.
  static constexpr std::size_t kSample = 100;

  /// `searcher` is of all rows of `index`, compared by `metric`. The index must outlive it.
  /// `threads` of 0: default_threads().
  CheckedSearcher(std::unique_ptr<VectorSearcher> searcher, const VectorIndex& index, Metric metric,
                  std::size_t threads);

  Metric metric() const override { return searcher_->metric(); }
  std::size_t dimension() const override { return searcher_->dimension(); }
  std::size_t rows() const override { return searcher_->rows(); }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override;
  /// O(candidates * dimension) beside a few searches by codes for each query.
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override;

  bool nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int32_t* rows,
                      float* distances, const SearchOptions& options = {}) const override {
    return searcher_->nearest_on_gpu(queries, count, k, rows, distances, of_lists(options));
  }

  GpuFigures figures() const override { return searcher_->figures(); }
  bool is_resident() const override { return searcher_->is_resident(); }

 private:
  /// Vectors that are not in lists are not probed, also where they are stored as one list.
  SearchOptions of_lists(SearchOptions options) const {
    if (!index_.settings().index.in_lists) options.probes = 1;
    return options;
  }

  /// What a range search needs, made by the first.
  struct Check {
    std::optional<StoredRows> rows;
    float size = 0;  ///< the largest that largest_code_error() has
    float residual = 0;
  };
  struct Candidates;

  const Check& check() const;
  std::vector<std::uint64_t> check_query(std::span<const float> query, const float* prepared,
                                         float limit, const Candidates& sample,
                                         const SearchOptions& options) const;
  double certain_margin(const float* prepared, const SearchOptions& options) const;
  double add_exact(const float* prepared, const Candidates& candidates,
                   std::vector<std::uint64_t>& keys) const;

  std::unique_ptr<VectorSearcher> searcher_;
  const VectorIndex& index_;
  Metric metric_;
  std::size_t threads_;
  bool checks_;    ///< codes whose vectors are kept
  bool is_bound_;  ///< of codes with corrections
  mutable std::once_flag once_;
  mutable Check check_;
};

}  // namespace warpdex::vector
