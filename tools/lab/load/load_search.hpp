// The highest rate of queries that is answered in time: live, and in a simulation.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "load/load_measure.hpp"
#include "load/simulator.hpp"

namespace warpdex::tools {

/// What a placement sustains, in queries a second.
struct HighestRate {
  Placement placement = Placement::kBoth;
  double live = 0;  ///< 0: none was found
  std::optional<double> simulated;
  LoadPoint load = {};  ///< at that rate
};

/// The highest rate at which `holds` is true, to 2 %; 0 if it is not even at a thousandth of
/// `guess`. It holds at lower rates than one at which it holds, and not at every rate. O(log)
/// calls.
double find_highest_rate(double guess, const std::function<bool(double rate)>& holds);

/// Searches for each placement, from what it does with as many queries under way as there is room
/// for. Adds the loads that were run to `points`.
std::vector<HighestRate> find_rates(LoadEngines& engines, const LoadPlan& plan,
                                    std::vector<LoadPoint>& points,
                                    const OnLoadProgress& on_progress);

/// What a simulation ran with: microseconds, as CostMeasurements has them.
struct SimulatedWith {
  double cpu = 0;        ///< the mean run on a CPU thread
  double batch = 0;      ///< what 1,000 queries take in large batches; 0 without a GPU
  double occupancy = 1;  ///< see gpu_occupancy()
};

/// Measures what the queries cost and has a simulator run the loads of all points, each with its
/// placement and threads, but for those of a search; it searches the highest rates itself. What the
/// host takes beside the queries is that of the same load, or of the one at the highest rate.
SimulatedWith simulate_loads(const Snapshot& snapshot, const UploadedIndex* gpu,
                             const LoadPlan& plan, std::vector<LoadPoint>& points,
                             std::vector<HighestRate>& rates, const OnLoadProgress& on_progress);

}  // namespace warpdex::tools
