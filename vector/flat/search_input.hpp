// Checks and prepares the arguments of a search, and makes its answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// Queries as the kernels read them: padded, and for kCosine scaled to length 1.
struct PreparedQueries {
  std::size_t count = 0;
  std::size_t stride = 0;  ///< floats from one to the next
  std::vector<float> values;

  const float* query(std::size_t index) const { return values.data() + index * stride; }
};

/// How many queries there are. Throws UsageError for a size that is no multiple of the dimension,
/// and for components that are not finite.
std::size_t check_queries(std::size_t dimension, std::span<const float> queries);

/// Throws as check_queries() does.
PreparedQueries prepare_queries(Metric metric, std::size_t dimension,
                                std::span<const float> queries);

/// Throws UsageError for a dimension or a number of rows past the limits of vector_view.hpp.
void check_vectors(const VectorView& vectors);
/// Throws UsageError unless k is from 1 to the number of rows.
void check_k(std::size_t k, std::size_t rows);
/// Throws UsageError for a filter (null: none) of another number of rows.
void check_filter(const RowFilter* filter, std::size_t rows);
/// Throws UsageError for NaN.
void check_radius(float radius);

/// Answers all of whose places are missing.
Neighbors make_neighbors(Metric metric, std::size_t queries, std::size_t k);
/// The same answers with more places, which are missing.
Neighbors with_places(Metric metric, const Neighbors& found, std::size_t k);
/// Sets the answers of a query from its keys, sorted.
void set_answers(Metric metric, std::size_t query, std::span<const std::uint64_t> keys,
                 Neighbors& answers);
/// Adds the answers of the next query.
void add_answers(Metric metric, std::span<const std::uint64_t> keys, RangeNeighbors& answers);
/// The answers of all queries from their keys, which are sorted here.
RangeNeighbors range_of(Metric metric, std::vector<std::vector<std::uint64_t>>& keys);

}  // namespace warpdex::vector
