// Exact search for nearest vectors on the CPU.
#pragma once

#include <cstddef>
#include <span>

#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// Compares queries with all vectors. Every answer is exact: rows are ranked by the distances of
/// the canonical order of arithmetic (docs/vector.md), which do not depend on the processor, the
/// number of threads or what else is in a batch. Immutable: any number of threads may search at
/// once.
///
/// A few queries are compared row by row. Many are multiplied with the vectors panel by panel; the
/// error of such a product is bounded, and rows that the bound does not rule out are computed
/// again in the canonical order. *Billion-scale similarity search with GPUs*, section 2, has the
/// expansion of the distance into norms and a product.
class FlatSearcher final : public VectorSearcher {
 public:
  /// `vectors` must outlive it. `threads` of 0: default_threads(). Throws UsageError for a
  /// dimension or a number of rows past the limits of vector_view.hpp.
  explicit FlatSearcher(const FlatVectors& vectors, std::size_t threads = 0);

  Metric metric() const override { return vectors_.metric; }
  std::size_t dimension() const override { return vectors_.vectors.dimension; }
  std::size_t rows() const override { return vectors_.vectors.rows; }

  /// O(queries * rows * dimension) arithmetic. Memory: the answers (up to 4 times for each thread,
  /// if there are too few queries to keep the threads busy), and for each thread up to 64 MiB, or
  /// what one query needs (24 * k bytes) if that is more.
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override;

  /// Memory: the answers, twice.
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override;

 private:
  FlatVectors vectors_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
