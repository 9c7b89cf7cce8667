// Ranks the best of a search by codes again, by their vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/vector/codings/searched_vectors.hpp"
#include "warpdex/vector/search/stored_rows.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// Does once for all shards what a searcher of codes does with the best by codes. If each shard
/// refined its own candidates, the answers could differ from those of a single searcher.
class RefiningSearcher final : public VectorSearcher {
 public:
  /// `vectors` holds the whole vectors of the rows that `by_codes` searches; `part` can be any part
  /// of the codes. If options.refine is not 0, that many candidates of a query, or k if that is
  /// more, and those within the margin of options.extra are ranked by their canonical distances.
  /// `threads` of 0: default_threads().
  RefiningSearcher(std::unique_ptr<VectorSearcher> by_codes, StoredRows vectors,
                   const SearchedVectors& part, std::size_t threads = 0);

  Metric metric() const override { return by_codes_->metric(); }
  std::size_t dimension() const override { return by_codes_->dimension(); }
  std::size_t rows() const override { return by_codes_->rows(); }

  /// O(queries * refine * dimension) beside the search by codes.
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override {
    return by_codes_->within(queries, radius, options.by_codes());
  }

  GpuFigures figures() const override { return by_codes_->figures(); }
  bool is_resident() const override { return by_codes_->is_resident(); }

 private:
  /// The rows of all candidates of a query, of which `nearest` are the first; -1: none.
  std::vector<std::int32_t> with_margin(std::span<const float> query, float margin,
                                        std::span<const std::int32_t> nearest, float last,
                                        const SearchOptions& options) const;
  /// How much farther than the last candidate of a query, which is prepared, in ascending()
  /// distances by codes, another candidate may be.
  float margin_of(const float* query, const SearchOptions& options) const;

  std::unique_ptr<VectorSearcher> by_codes_;
  StoredRows vectors_;
  SearchedVectors part_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
