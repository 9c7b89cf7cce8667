// Closed loops: callers that each wait for their answer before they ask again.
#pragma once

#include <cstddef>
#include <vector>

#include "load/load_measure.hpp"
#include "search/timing.hpp"

namespace warpdex::tools {

/// What callers got.
struct ClosedLoop {
  Placement placement = Placement::kBoth;
  std::size_t callers = 0;
  double rate = 0;  ///< complete answers a second
  Latency latency;  ///< of all queries
};

/// Each caller sends its next query from the callback of the last one. Callers take the plan's
/// queries in turn, without deadlines. Runs for `seconds`.
ClosedLoop run_callers(Scheduler& scheduler, const LoadPlan& plan, std::size_t callers,
                       double seconds, const OnLoadProgress& on_progress);

}  // namespace warpdex::tools
