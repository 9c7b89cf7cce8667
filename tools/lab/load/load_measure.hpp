// Runs loads of several rates against an index, on the CPU, the GPU or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measured_engines.hpp"
#include "load/open_load.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

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

/// What is measured without the scheduler.
struct HandParts {
  bool single = false;        ///< one query at a time
  bool batches = false;       ///< whole batches, and batches of as many as there are callers
  bool full_batches = false;  ///< on a GPU, loads in batches that start when they are full
};

/// Of "single", "batches" and "full", with commas between; nothing of "". UsageError for others.
HandParts hand_parts_from_names(const std::string& names);

struct LoadPlan {
  std::vector<PlannedSearch> queries;
  std::vector<std::size_t> class_of;  ///< of each query, index into `classes`
  std::vector<LoadClass> classes;     ///< one or more
  std::vector<double> rates;          ///< queries a second
  std::vector<Placement> placements;
  ArrivalKind arrivals = ArrivalKind::kPoisson;
  std::vector<double> log_times;  ///< of a replay
  double seconds = 5;             ///< of each load; a replay has the length of its log
  std::uint64_t seed = 1;
  JobOptions options;
  SchedulerSettings settings;  ///< all but the placement
  HandParts by_hand;
  double max_missed = 0.01;  ///< a load holds if a smaller share misses its deadline
  std::uint64_t memory = std::uint64_t{2} << 30;  ///< bytes that it and a load may take
};

/// Whether a load missed few enough queries, or none.
bool holds(const LoadPlan& plan, const LoadSummary& summary);

/// The result of one load.
struct LoadPoint {
  Placement placement = Placement::kBoth;
  double rate = 0;              ///< as wanted
  bool is_search = false;       ///< one of the search for the highest rate
  std::size_t cpu_threads = 1;  ///< of the scheduler
  LoadSummary all;
  std::vector<LoadSummary> by_class;
  SchedulerStatistics statistics;
  CallerStatistics callers;
  std::optional<LoadSummary> simulated;
  // Bytes that the process has in memory, once a quarter of the queries have come, and at the end.
  std::uint64_t early_memory = 0;
  std::uint64_t late_memory = 0;
};

/// Called now and then, with a sentence on what is being done and how much of it has been.
using OnLoadProgress =
    std::function<void(const std::string& what, std::size_t done, std::size_t all)>;

/// Threads that submit the queries of a load.
std::size_t generators_for(double rate);

/// Runs a load on a scheduler. `nap`: see LoadSettings.
LoadPoint run_point(Scheduler& scheduler, const LoadPlan& plan, double rate, Micros nap,
                    const OnLoadProgress& on_progress);

/// Makes the schedulers of loads, on engines that are warm. All arguments must outlive it.
class LoadEngines {
 public:
  /// `gpu` may be null; then only kCpuOnly can be placed.
  LoadEngines(const Snapshot& snapshot, const UploadedIndex* gpu, const LoadPlan& plan,
              const OnLoadProgress& on_progress)
      : snapshot_(snapshot), gpu_(gpu), plan_(plan), on_progress_(on_progress) {}

  /// A new scheduler that has learnt nothing. On the CPU alone, all queries are answered once
  /// before the first such load: then the lists are in the process's memory. With a GPU, that is
  /// done before each load, by the same engine and where `placement` has the queries go: the memory
  /// for batches is the engine's, and what the cache of lists holds depends on the load before.
  ScheduledEngine make(Placement placement);

 private:
  void answer_all(Scheduler& scheduler) const;

  const Snapshot& snapshot_;
  const UploadedIndex* gpu_;
  const LoadPlan& plan_;
  const OnLoadProgress& on_progress_;
  bool cpu_is_warm_ = false;
};

/// Runs each rate on each placement, each load on an engine of its own. With a GPU, queries come at
/// twice that rate for 0.1 s beforehand and count in no figure. `before` is called before the loads
/// of each rate: a machine may be slower some seconds later, so what they are compared with is
/// measured then.
std::vector<LoadPoint> measure_loads(LoadEngines& engines, const LoadPlan& plan,
                                     const OnLoadProgress& on_progress,
                                     const std::function<void(double rate)>& before);

/// The plan's settings of a scheduler for a placement.
SchedulerSettings settings_for(const LoadPlan& plan, Placement placement);
/// The plan's deadline, or kNever.
Micros deadline_of(const LoadPlan& plan);
/// The arrival times of a load. Throws UsageError where they would take too much memory.
std::vector<Micros> times_of(const LoadPlan& plan, double rate);

}  // namespace warpdex::tools
