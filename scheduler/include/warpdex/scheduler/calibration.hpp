// Measures the costs of queries on each processor, and fits a cost model to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "warpdex/query/engine/engine.hpp"
#include "warpdex/scheduler/cost_model.hpp"
#include "warpdex/scheduler/prediction_error.hpp"

namespace warpdex {

/// A query as an engine takes it: its plan, and how it is searched.
struct PlannedSearch {
  PlannedQuery plan;
  SearchSettings settings;
};

/// The time that a query takes, in microseconds.
struct MeasuredCost {
  float cpu = 0;        ///< on a CPU thread while all are busy: the median of several runs
  float cpu_mean = 0;   ///< the mean of these runs, for sums over many queries
  float gpu_alone = 0;  ///< as a batch of its own; 0: no GPU, or the GPU cannot answer it
  // On an otherwise idle machine, a millisecond after the query before; 0: not measured.
  float cpu_idle = 0;
  float gpu_idle = 0;
};

/// A batch of queries and the time that it takes.
struct MeasuredBatch {
  std::vector<std::uint32_t> queries;  ///< their numbers
  double time = 0;                     ///< microseconds
};

struct CostMeasurements {
  std::vector<MeasuredCost> queries;   ///< by number
  std::vector<MeasuredBatch> batches;  ///< none without a GPU
};

struct MeasureSettings {
  std::size_t cpu_threads = 0;  ///< 0: all
  std::size_t repetitions = 3;  ///< of which the median counts
  std::vector<std::size_t> batch_sizes{16, 64, 256};
  std::size_t batches = 60;        ///< of each size and class, drawn at random
  std::size_t idle_queries = 100;  ///< of each class, to be measured on an idle machine
  std::uint64_t seed = 1;
};

/// Progress: `what` is being measured, and `done` of `all` items are. Called now and then, from one
/// thread at a time. If it throws, the measurement ends with that exception.
using OnMeasured = std::function<void(const char* what, std::size_t done, std::size_t all)>;

/// Measures each query alone on each processor, and batches of queries of one class.
/// `engine` may be null. Throws what the engines throw.
CostMeasurements measure_costs(const Snapshot& snapshot, Engine* engine,
                               std::span<const PlannedSearch> queries,
                               const MeasureSettings& settings, const OnMeasured& on_measured = {});

struct Calibration {
  CostModel model;  ///< a model with too few samples has the rough figures of CostModel()
  std::vector<PredictionError> errors;
};

/// Fits models. For single queries: a tree of products or a linear model, whichever has the smaller
/// error. For shares of batches: linear models. Returns the errors of all of them, by
/// cross-validation. `has_list` as in GpuSide. Throws FormatError for damage.
Calibration calibrate(const Snapshot& snapshot, std::span<const PlannedSearch> queries,
                      const CostMeasurements& measurements, const HasList& has_list);

}  // namespace warpdex
