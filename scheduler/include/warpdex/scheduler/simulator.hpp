// A simulation of the scheduler under load: its own queues, with measured costs in the place of
// searches. (Ding et al. had this in the place of a scheduler.)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warpdex/scheduler/calibration.hpp"
#include "warpdex/scheduler/load.hpp"

namespace warpdex {

/// What a query is predicted to cost, and what it costs.
struct SimulatedQuery {
  JobCost predicted;
  JobCost measured;
  std::size_t query_class = 0;  ///< as query_class()
};

/// What the host does beside running queries, and on how many threads and processors. Times are in
/// microseconds of a query.
struct SimulatedHostSettings {
  std::size_t processors = 1'000;  ///< for all threads; those that run queries take what is left
  std::size_t callers = 0;         ///< threads that submit, and never sleep
  std::size_t builders = 1;        ///< threads that build batches, with the GPU's
  std::size_t deliverers = 1;
  double cpu_queue = 0;  ///< at the CPU's queue, which one thread uses at a time
  double run = 2;        ///< on a CPU thread, beside the search
  double start = 0;      ///< on the GPU's thread, to take it from its queue, build and start it
  double end = 0;        ///< on the GPU's thread, to take it off the GPU
  double deliver = 0;    ///< on a thread that delivers
};

struct SimulatorSettings {
  PlacementSettings placement;
  SimulatedHostSettings host;
  std::size_t cpu_threads = 1;
  std::size_t capacity = 10'000;
  JobOptions options;    ///< of every query
  double occupancy = 1;  ///< see gpu_occupancy()
  Micros limited_run = 200;
  float outrun = 2;  ///< SchedulerSettings::outrun
};

/// What becomes of the arrivals, the n-th of query n modulo their number. Runs on the CPU take
/// their measured time, unless they move, and longer where processors are short; batches take that
/// of their base and shares, once they are built and until they are delivered. A query that moves
/// starts anew on the GPU.
/// O(arrivals log arrivals).
std::vector<LoadOutcome> simulate_load(std::span<const SimulatedQuery> queries,
                                       std::span<const Micros> arrivals,
                                       const SimulatorSettings& settings);

/// The costs to simulate with. Times of queries alone are the measured ones; shares of batches are
/// predicted, since only whole batches can be measured.
std::vector<SimulatedQuery> simulated_queries(const Snapshot& snapshot,
                                              std::span<const LoadQuery> queries,
                                              const CostMeasurements& measurements,
                                              const CostModel& model, const HasList& has_list);

/// The time that a batch keeps the GPU from the next one, as a part of its predicted time: below 1
/// where batches, and classes of queries in one batch, overlap. 1 without a GPU.
double gpu_occupancy(std::span<const SimulatedQuery> queries, const CostMeasurements& measurements);

/// The host as a live load had it: what its scheduler's statistics say, with this machine's
/// processors and the threads of a scheduler that has so many CPU threads; without callers.
SimulatedHostSettings simulated_host(const SchedulerStatistics& live, std::size_t cpu_threads);

}  // namespace warpdex
