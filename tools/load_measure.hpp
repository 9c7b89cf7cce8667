// Runs loads of several rates against an index, on the CPU, the GPU or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search_engine.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/scheduler/load.hpp"

namespace warpdex::tools {

/// "cpu", "gpu", "better" or "both".
std::string_view placement_name(Placement placement);
/// UsageError for other names.
Placement placement_from_name(const std::string& name);

/// One of the kinds of queries that a load mixes.
struct LoadClass {
  std::string name;  ///< as "or, k 10"
  SearchSettings settings;
};

struct LoadPlan {
  std::vector<LoadQuery> queries;  ///< number n is of class n modulo the number of classes
  std::vector<LoadClass> classes;  ///< one or more
  std::vector<double> rates;       ///< queries a second
  std::vector<Placement> placements;
  ArrivalKind arrivals = ArrivalKind::kPoisson;
  std::vector<double> log_times;  ///< of a replay
  double seconds = 5;             ///< of each load; a replay has the length of its log
  std::uint64_t seed = 1;
  JobOptions options;
  SchedulerSettings settings;  ///< all but the placement
};

/// What one load came to.
struct LoadPoint {
  Placement placement = Placement::kBoth;
  double rate = 0;              ///< as wanted
  std::size_t cpu_threads = 1;  ///< of the scheduler
  LoadSummary all;
  std::vector<LoadSummary> by_class;
  SchedulerStatistics statistics;
  std::optional<LoadSummary> simulated;
};

/// Called now and then, with a sentence on what is being done and how much of it has been.
using OnLoadProgress =
    std::function<void(const std::string& what, std::size_t done, std::size_t all)>;

/// Answers all queries once on each processor, which warms the lists, and then runs each rate on
/// each placement, with a scheduler of its own for each. `gpu` may be null; then only kCpuOnly can
/// be among the placements.
std::vector<LoadPoint> measure_loads(const Index& index, const UploadedIndex* gpu,
                                     const LoadPlan& plan, const OnLoadProgress& on_progress);

/// Measures what the queries cost and has a simulator run the same loads, each with its point's
/// placement and threads.
void simulate_loads(const Index& index, const UploadedIndex* gpu, const LoadPlan& plan,
                    std::vector<LoadPoint>& points, const OnLoadProgress& on_progress);

/// The arrival times of a load.
std::vector<Micros> times_of(const LoadPlan& plan, double rate);

}  // namespace warpdex::tools
