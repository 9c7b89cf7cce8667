// Checks, copies of queries, and keys turned into rows and distances.
#include "flat/search_input.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "distance/distance_kernels.hpp"
#include "flat/order_key.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

[[noreturn]] void refuse_component(std::size_t query, std::size_t column) {
  throw UsageError("query " + std::to_string(query) +
                   " has a component that is no finite number, in column " +
                   std::to_string(column) + " (counted from 0)");
}

/// By the bits of their exponents: compilers turn this loop into one of vectors.
bool are_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::uint32_t has_other = 0;
  for (const float value : values) {
    has_other |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
  }
  return has_other == 0;
}

}  // namespace

std::size_t check_queries(std::size_t dimension, std::span<const float> queries) {
  if (queries.size() % dimension != 0) {
    throw UsageError("the queries are " + std::to_string(queries.size()) +
                     " numbers, which is no multiple of the index's dimension " +
                     std::to_string(dimension));
  }
  if (!are_finite(queries)) {
    const auto place = std::find_if_not(queries.begin(), queries.end(),
                                        [](float value) { return std::isfinite(value); });
    const auto number = static_cast<std::size_t>(place - queries.begin());
    refuse_component(number / dimension, number % dimension);
  }
  return queries.size() / dimension;
}

PreparedQueries prepare_queries(Metric metric, std::size_t dimension,
                                std::span<const float> queries) {
  PreparedQueries prepared{check_queries(dimension, queries), padded(dimension), {}};
  prepared.values.resize(prepared.count * prepared.stride);
  for (std::size_t q = 0; q < prepared.count; ++q) {
    const std::span<const float> from = queries.subspan(q * dimension, dimension);
    const std::span<float> to(prepared.values.data() + q * prepared.stride, dimension);
    std::copy(from.begin(), from.end(), to.begin());
    if (metric == Metric::kCosine) normalize(to);
  }
  return prepared;
}

void check_vectors(const VectorView& vectors) {
  if (vectors.dimension == 0 || vectors.dimension > kMaxDimension) {
    throw UsageError("vectors have from 1 to " + std::to_string(kMaxDimension) +
                     " components, not " + std::to_string(vectors.dimension));
  }
  if (vectors.rows > kMaxRows) {
    throw UsageError("there are " + std::to_string(vectors.rows) +
                     " vectors; an index holds at most " + std::to_string(kMaxRows));
  }
}

void check_k(std::size_t k, std::size_t rows) {
  if (k >= 1 && k <= rows) return;
  if (rows == 0) throw UsageError("the index has no vectors");
  throw UsageError("k is " + std::to_string(k) + "; it is from 1 to the number of vectors, " +
                   std::to_string(rows));
}

void check_filter(const RowFilter* filter, std::size_t rows) {
  if (filter == nullptr || filter->rows() == rows) return;
  throw UsageError("the filter is for " + std::to_string(filter->rows()) + " rows, the index has " +
                   std::to_string(rows));
}

void check_radius(float radius) {
  if (std::isnan(radius)) throw UsageError("the radius is NaN; give a number");
}

Neighbors make_neighbors(Metric metric, std::size_t queries, std::size_t k) {
  return {queries, k, std::vector<std::int32_t>(queries * k, -1),
          std::vector<float>(queries * k, worst_distance(metric))};
}

Neighbors with_places(Metric metric, const Neighbors& found, std::size_t k) {
  Neighbors wide = make_neighbors(metric, found.queries, k);
  for (std::size_t q = 0; q < found.queries; ++q) {
    std::copy_n(found.rows.begin() + static_cast<std::ptrdiff_t>(q * found.k), found.k,
                wide.rows.begin() + static_cast<std::ptrdiff_t>(q * k));
    std::copy_n(found.distances.begin() + static_cast<std::ptrdiff_t>(q * found.k), found.k,
                wide.distances.begin() + static_cast<std::ptrdiff_t>(q * k));
  }
  return wide;
}

void set_answers(Metric metric, std::size_t query, std::span<const std::uint64_t> keys,
                 Neighbors& answers) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers.rows[query * answers.k + i] = static_cast<std::int32_t>(key_row(keys[i]));
    answers.distances[query * answers.k + i] = from_ascending(metric, key_value(keys[i]));
  }
}

void add_answers(Metric metric, std::span<const std::uint64_t> keys, RangeNeighbors& answers) {
  if (answers.offsets.empty()) answers.offsets.push_back(0);
  for (const std::uint64_t key : keys) {
    answers.rows.push_back(static_cast<std::int32_t>(key_row(key)));
    answers.distances.push_back(from_ascending(metric, key_value(key)));
  }
  answers.offsets.push_back(answers.rows.size());
}

RangeNeighbors range_of(Metric metric, std::vector<std::vector<std::uint64_t>>& keys) {
  RangeNeighbors answers{{0}, {}, {}};
  for (std::vector<std::uint64_t>& of_query : keys) {
    std::sort(of_query.begin(), of_query.end());
    add_answers(metric, of_query, answers);
  }
  return answers;
}

}  // namespace warpdex::vector
