// Times searches of an index of vectors, and judges what they find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/data/recall.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {

/// What is searched for, in what numbers.
struct VectorBenchPlan {
  vector::Matrix<float> queries;     ///< one or more; repeated where a batch is larger
  std::vector<std::size_t> batches;  ///< numbers of queries that are searched together
  std::vector<std::size_t> ks;       ///< each up to the number of vectors
  std::size_t repetitions = 1;
  /// The true neighbours: a row a query, of the largest k or more.
  std::optional<vector::Matrix<std::int32_t>> truth = {};
  /// Rates for the floor, 0 if unknown: billions of operations, and of bytes, a second.
  double gflops = 0;
  double bandwidth = 0;
  /// Told after each search that was measured.
  std::function<void()> on_search = {};
};

/// What one search took.
struct MeasuredSearch {
  std::size_t index = 0;  ///< its place among those that are compared
  std::size_t queries = 0;
  std::size_t k = 0;
  std::size_t probes = 0;   ///< 0: there are no lists
  std::size_t refine = 0;   ///< 0: answers are not refined
  double milliseconds = 0;  ///< median
  double floor = 0;         ///< milliseconds; 0: not known
  /// Of the timed searches; none: the CPU's.
  std::optional<VectorGpuFigures> on_gpu = {};
  /// Of the largest batch, as answers are the same in all. None: there is no truth.
  std::optional<vector::Recall> recall = {};
  std::size_t judged = 0;  ///< queries that `recall` is of
};

/// Measures all that the plan names, depth by depth, then k by k, then batch by batch: a search
/// that warms memory, then the timed ones. `index` is set to the first of `depths`, and then to
/// the others. A signal ends it between two searches.
std::vector<MeasuredSearch> measure_searches(const VectorBenchPlan& plan,
                                             std::span<const VectorDepth> depths,
                                             VectorIndex& index);

}  // namespace warpdex::tools
