// Loads in batches that start when they are full, for comparison with the scheduler.
#pragma once

#include <span>
#include <vector>

#include "load/query_ring.hpp"

namespace warpdex::tools {

/// Answers queries that arrive at these times, in batches of kWholeBatch; the last one may be
/// smaller. Up to three batches are under way, which is what the engine must have room for. `ring`
/// must have room for kWholeBatch. Latencies count from the arrivals.
std::vector<LoadOutcome> run_full_batches(Engine& engine, QueryRing& ring,
                                          std::span<const Micros> times,
                                          const OnLoadProgress& on_progress);

/// A load that the GPU answers in batches of kWholeBatch, each submitted when it is full.
struct FullBatches {
  double rate = 0;
  LoadSummary all;
};

/// For each of the plan's rates, by an engine that is warm; nothing if HandParts does not ask for
/// it. Delays are measured as in other loads.
std::vector<FullBatches> measure_full_batches(const UploadedIndex& gpu, const LoadPlan& plan,
                                              const OnLoadProgress& on_progress);

}  // namespace warpdex::tools
