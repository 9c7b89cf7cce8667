// A simulation of the scheduler under load: the scheduler's queues, with measured costs in place of
// searches. (Ding et al. simulated their scheduler in this way.)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "load/open_load.hpp"
#include "warpdex/scheduler/calibration.hpp"

namespace warpdex::tools {

/// The predicted and the measured costs of a query.
struct SimulatedQuery {
  JobCost predicted;
  JobCost measured;
  std::size_t query_class = 0;  ///< from query_class()
};

/// The host's work beside searches, and its threads and processors. Times are microseconds for one
/// query.
struct SimulatedHostSettings {
  std::size_t processors = 1'000;  ///< for all threads; CPU threads get those that others leave
  std::size_t callers = 0;         ///< threads that submit, and never sleep
  std::size_t builders = 1;        ///< threads that build batches, the GPU's thread included
  std::size_t deliverers = 1;      ///< threads that deliver answers
  double cpu_queue = 0;            ///< at the CPU's queue, which one thread uses at a time
  double run = 2;                  ///< on a CPU thread, beside the search
  double start = 0;    ///< on the GPU's thread, to take it from the queue, build and start it
  double end = 0;      ///< on the GPU's thread, to take its answer from the GPU
  double deliver = 0;  ///< on a thread that delivers
};

struct SimulatorSettings {
  PlacementSettings placement;
  SimulatedHostSettings host;
  std::size_t cpu_threads = 1;
  std::size_t capacity = 10'000;
  JobOptions options;        ///< of every query
  double occupancy = 1;      ///< see gpu_occupancy()
  Micros limited_run = 200;  ///< as SchedulerSettings::limited_run
};

/// The outcomes of a simulated load. Arrival n is query n modulo the number of queries. A run on
/// the CPU takes its measured time, or longer where processors are short. A batch takes the time of
/// its base and shares, beside the time to build it and to deliver its answers. There must be a
/// query or more, and `settings` must be as the scheduler takes them. O(arrivals log arrivals).
std::vector<LoadOutcome> simulate_load(std::span<const SimulatedQuery> queries,
                                       std::span<const Micros> arrivals,
                                       const SimulatorSettings& settings);

/// The costs for a simulation. Times of single queries are measured. Shares of batches are
/// predicted by `model`, since only whole batches can be measured.
std::vector<SimulatedQuery> simulated_queries(const Snapshot& snapshot,
                                              std::span<const PlannedSearch> queries,
                                              const CostMeasurements& measurements,
                                              const CostModel& model, const HasList& has_list);

/// The part of its predicted time for which a batch blocks the GPU for the next one. Below 1 where
/// batches overlap, or classes of queries in one batch. `overlapped` is from measure_overlapped();
/// 1 if it is empty.
double gpu_occupancy(std::span<const SimulatedQuery> queries, const MeasuredBatch& overlapped);

/// The host of a live load: times from its scheduler's statistics, this machine's processors, and
/// the threads of a scheduler with `cpu_threads`. Callers are 0.
SimulatedHostSettings simulated_host(const SchedulerStatistics& live, std::size_t cpu_threads);

}  // namespace warpdex::tools
