// Ranks the best of a search by codes anew, by their vectors.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/vector/search/stored_rows.hpp"
#include "warpdex/vector/search/vector_searcher.hpp"

namespace warpdex::vector {

/// What IvfPqSearcher does with the best by their codes, done once for all shards: so that the
/// answers are those of one searcher, the shards must not choose among candidates by themselves.
class RefiningSearcher final : public VectorSearcher {
 public:
  /// `by_codes` does not refine. `vectors` are those of its rows. `refine` candidates of a query,
  /// or k if that is more, are ranked by their canonical distances. `threads` of 0:
  /// default_threads().
  RefiningSearcher(std::unique_ptr<VectorSearcher> by_codes, StoredRows vectors, std::size_t refine,
                   std::size_t threads = 0);

  Metric metric() const override { return by_codes_->metric(); }
  std::size_t dimension() const override { return by_codes_->dimension(); }
  std::size_t rows() const override { return by_codes_->rows(); }

  /// O(queries * refine * dimension) beside the search by codes.
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const RowFilter* filter = nullptr) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const RowFilter* filter = nullptr) const override {
    return by_codes_->within(queries, radius, filter);
  }

  GpuFlatFigures figures() const override { return by_codes_->figures(); }
  bool is_resident() const override { return by_codes_->is_resident(); }

 private:
  std::unique_ptr<VectorSearcher> by_codes_;
  StoredRows vectors_;
  std::size_t refine_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
