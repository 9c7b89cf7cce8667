// A part of a search: some queries against some rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// Rows are counted as the vectors lie. Owns nothing.
struct FlatTask {
  const FlatVectors& vectors;
  const RowFilter* filter;  ///< null: all rows
  const float* queries;     ///< prepared, padded as DistanceKernels says
  std::size_t stride;       ///< floats from one query to the next
  std::size_t count;        ///< queries
  std::size_t first_row;
  std::size_t last_row;  ///< one past the last
  /// Of each query the largest order_key() that is of use, which scan_nearest() and
  /// multiply_nearest() may rely on; null: all are.
  const std::uint64_t* limits = nullptr;

  const float* query(std::size_t index) const { return queries + index * stride; }
  std::uint64_t limit(std::size_t index) const {
    return limits == nullptr ? std::numeric_limits<std::uint64_t>::max() : limits[index];
  }
};

/// The order_key() of each query's answers, nearest first.
using TaskAnswers = std::vector<std::vector<std::uint64_t>>;

/// Computes the order_key() of all rows of the task for each query, row by row in the canonical
/// order, and calls add(query, keys) with those that are not above limit(query), some hundred rows
/// at a time. The task's limits are not read.
void scan_keys(const FlatTask& task, const std::function<std::uint64_t(std::size_t)>& limit,
               const std::function<void(std::size_t, std::span<const std::uint64_t>)>& add);

/// The k nearest rows of each query, row by row in the canonical order: for few queries.
TaskAnswers scan_nearest(const FlatTask& task, std::size_t k);
/// All rows whose ascending() distance is at most `radius`, likewise.
TaskAnswers scan_within(const FlatTask& task, float radius);

/// The same answers by panel products: for many queries. Takes memory for all queries at once:
/// see nearest_bytes().
TaskAnswers multiply_nearest(const FlatTask& task, std::size_t k);
TaskAnswers multiply_within(const FlatTask& task, float radius);

/// From so many queries on, products are faster than a scan.
inline constexpr std::size_t kMinProductQueries = 20;

/// Queries that multiply_nearest() should be given at most: so many that packing vectors into
/// panels costs little beside the products, that their panels stay in a core's cache, and that
/// memory for candidates is bounded.
std::size_t max_product_queries(const FlatVectors& vectors, std::size_t k);

/// Bytes that multiply_nearest() takes for a query.
std::size_t nearest_bytes(std::size_t dimension, std::size_t k, std::size_t rows);

}  // namespace warpdex::vector
