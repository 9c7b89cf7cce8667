// Turns measurements into what the simulator runs with.
#include <algorithm>

#include "queues/job_queues.hpp"
#include "run/thread_shares.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/scheduler/simulator.hpp"

namespace warpdex {

double gpu_occupancy(std::span<const SimulatedQuery> queries,
                     const CostMeasurements& measurements) {
  const std::vector<std::uint32_t>& all = measurements.overlapped.queries;
  Micros predicted = 0;
  for (std::size_t first = 0; first < all.size(); first += kOverlappedBatch) {
    BatchCost batch;
    for (std::size_t i = first; i < std::min(all.size(), first + kOverlappedBatch); ++i) {
      batch.add(queries[all[i]].measured);
    }
    predicted += batch.time();
  }
  return predicted > 0 ? measurements.overlapped.time / predicted : 1;
}

std::vector<SimulatedQuery> simulated_queries(const Snapshot& snapshot,
                                              std::span<const LoadQuery> queries,
                                              const CostMeasurements& measurements,
                                              const CostModel& model, const HasList& has_list) {
  std::vector<SimulatedQuery> simulated;
  simulated.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const LoadQuery& query = queries[i];
    const MeasuredCost& cost = measurements.queries[i];
    SimulatedQuery one;
    one.query_class = query_class(query.settings);
    one.predicted =
        model.predict(one.query_class, features_of(snapshot, query.plan, query.settings, has_list));
    one.predicted.gpu_can = cost.gpu_alone > 0;
    one.measured = one.predicted;
    one.measured.cpu = cost.cpu_mean;
    one.measured.gpu_alone = cost.gpu_alone;
    simulated.push_back(one);
  }
  return simulated;
}

SimulatedHostSettings simulated_host(const CostMeasurements& measurements,
                                     std::size_t cpu_threads) {
  SimulatedHostSettings host;
  host.processors = default_threads();
  if (measurements.overlapped.queries.empty()) return host;
  const ThreadShares shares = thread_shares(cpu_threads, true);
  host.builders = shares.builders;
  host.deliverers = shares.deliverers;
  host.build = measurements.build;
  host.deliver = measurements.deliver;
  return host;
}

}  // namespace warpdex
