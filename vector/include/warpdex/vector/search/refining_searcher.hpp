// Ranks the best of a search by codes again, by their vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/vector/search/stored_rows.hpp"
#include "warpdex/vector/search/vector_searcher.hpp"

namespace warpdex::vector {

/// The margin of a query: how much farther than its last candidate, in ascending() distances by
/// codes, another candidate may be. `query` is as prepare_queries() makes it.
using CandidateMargin = std::function<float(const float* query)>;

/// The margin for binary codes; `part` can be any part of them. Empty for other vectors, and if
/// `settings.extra` is 0.
CandidateMargin candidate_margin(const SearchedVectors& part, const ProbeSettings& settings);

/// Does once for all shards what IvfPqSearcher and BinarySearcher do with the best by codes. If
/// each shard refined its own candidates, the answers could differ from those of a single searcher.
class RefiningSearcher final : public VectorSearcher {
 public:
  /// `by_codes` does not refine. `vectors` holds the whole vectors of the rows that it searches.
  /// `refine` candidates of a query, or k if that is more, and those within the margin are ranked
  /// by their canonical distances. `threads` of 0: default_threads().
  RefiningSearcher(std::unique_ptr<VectorSearcher> by_codes, StoredRows vectors, std::size_t refine,
                   CandidateMargin margin = {}, std::size_t threads = 0);

  Metric metric() const override { return by_codes_->metric(); }
  std::size_t dimension() const override { return by_codes_->dimension(); }
  std::size_t rows() const override { return by_codes_->rows(); }

  /// O(queries * refine * dimension) beside the search by codes.
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const RowFilter* filter = nullptr,
                    Refining refining = Refining::kAsSet) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const RowFilter* filter = nullptr) const override {
    return by_codes_->within(queries, radius, filter);
  }

  GpuFlatFigures figures() const override { return by_codes_->figures(); }
  bool is_resident() const override { return by_codes_->is_resident(); }

 private:
  /// The rows of all candidates of a query, of which `nearest` are the first; -1: none.
  std::vector<std::int32_t> with_margin(std::span<const float> query, float margin,
                                        std::span<const std::int32_t> nearest, float last,
                                        const RowFilter* filter) const;

  std::unique_ptr<VectorSearcher> by_codes_;
  StoredRows vectors_;
  std::size_t refine_;
  CandidateMargin margin_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
