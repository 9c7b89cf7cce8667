// What loads have come to, as a table, as JSON and as a plot.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "load_measure.hpp"

namespace warpdex::tools {

/// A table of all points, with a line for each class of queries where there are several, and then
/// the highest rate of each placement that misses less than 1 %.
void print_loads(const LoadPlan& plan, const std::vector<LoadPoint>& points, std::ostream& out);

/// The same as JSON; see docs/scheduler.md.
std::string loads_to_json(const LoadPlan& plan, const std::vector<LoadPoint>& points);

/// Mean and 99th percentile of the delay against the rate, a line for each placement.
std::string loads_to_svg(const LoadPlan& plan, const std::vector<LoadPoint>& points);

/// The highest answered rate, of the points of a placement, whose share of missed queries is below
/// 1 %; 0 if there is none. `simulated`: of the simulation.
double sustained_rate(const std::vector<LoadPoint>& points, Placement placement, bool simulated);

}  // namespace warpdex::tools
