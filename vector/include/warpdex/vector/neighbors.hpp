// Answers of a search for nearest vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

/// The k nearest vectors of each query: nearest first, ties to the smaller row, NaN last. Missing
/// places have row -1 and the worst distance.
struct Neighbors {
  std::size_t queries = 0;
  std::size_t k = 0;
  std::vector<std::int32_t> rows;  ///< queries * k
  std::vector<float> distances;    ///< queries * k, as the metric says: larger may be nearer
};

/// All vectors within a radius of each query, in the same order.
struct RangeNeighbors {
  /// Query q has answers [offsets[q], offsets[q + 1]); queries + 1 of them.
  std::vector<std::uint64_t> offsets;
  std::vector<std::int32_t> rows;
  std::vector<float> distances;
};

/// What a missing place has for a distance.
constexpr float worst_distance(Metric metric) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return larger_is_nearer(metric) ? -kInfinity : kInfinity;
}

}  // namespace warpdex::vector
