// Turns measurements into the costs and the host of a simulation.
#include <algorithm>

#include "load/overlapped_batches.hpp"
#include "load/simulator.hpp"
#include "queues/job_queues.hpp"
#include "run/thread_shares.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {

double gpu_occupancy(std::span<const SimulatedQuery> queries, const MeasuredBatch& overlapped) {
  const std::vector<std::uint32_t>& all = overlapped.queries;
  Micros predicted = 0;
  for (std::size_t first = 0; first < all.size(); first += kOverlappedBatch) {
    BatchCost batch;
    for (std::size_t i = first; i < std::min(all.size(), first + kOverlappedBatch); ++i) {
      batch.add(queries[all[i]].measured);
    }
    predicted += batch.time();
  }
  return predicted > 0 ? overlapped.time / predicted : 1;
}

std::vector<SimulatedQuery> simulated_queries(const Snapshot& snapshot,
                                              std::span<const PlannedSearch> queries,
                                              const CostMeasurements& measurements,
                                              const CostModel& model, const HasList& has_list) {
  std::vector<SimulatedQuery> simulated;
  simulated.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PlannedSearch& query = queries[i];
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

SimulatedHostSettings simulated_host(const SchedulerStatistics& live, std::size_t cpu_threads) {
  const auto per_query = [](double seconds, std::uint64_t queries) {
    return queries > 0 ? seconds * 1e6 / static_cast<double>(queries) : 0;
  };
  SimulatedHostSettings host;
  host.processors = default_threads();
  host.cpu_queue = per_query(live.processors.cpu_queue, live.complete_on_cpu);
  if (live.complete_on_gpu == 0) return host;
  const ThreadShares shares = thread_shares(cpu_threads, true);
  host.builders = shares.builders;
  host.deliverers = shares.deliverers;
  host.start = per_query(live.processors.starts, live.complete_on_gpu);
  host.end = per_query(live.processors.ends, live.complete_on_gpu);
  host.deliver = per_query(live.processors.deliveries, live.complete_on_gpu);
  return host;
}

}  // namespace warpdex::tools
