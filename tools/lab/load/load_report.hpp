// Reports the results of loads as a table, as JSON and as a plot.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "load/load_by_hand.hpp"
#include "load/load_closed.hpp"
#include "load/load_full.hpp"
#include "load/load_measure.hpp"
#include "load/load_search.hpp"

namespace warpdex::tools {

/// All that a run of `load` found; what was not asked for is empty.
struct LoadReport {
  std::vector<LoadPoint> points;
  std::vector<HighestRate> highest;
  std::vector<ClosedLoop> closed_loops;
  std::vector<HandFigures> by_hand;
  std::vector<FullBatches> full_batches;
  std::optional<SimulatedWith> simulated_with;
};

/// Tables of all points, with a line for each class of queries where there are several, and of the
/// engines without the scheduler; then the rate that each placement sustains.
void print_loads(const LoadPlan& plan, const LoadReport& report, std::ostream& out);

/// The same as JSON; see docs/json.md.
std::string loads_to_json(const LoadPlan& plan, const LoadReport& report);

/// Mean and 99th percentile of the delay against the rate, a line for each placement.
std::string loads_to_svg(const LoadPlan& plan, const LoadReport& report);

}  // namespace warpdex::tools
