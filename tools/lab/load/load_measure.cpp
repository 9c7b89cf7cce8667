// Makes a scheduler for each load.
#include "load/load_measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <fstream>
#include <future>

#include "load/load_memory.hpp"
#include "options/options.hpp"
#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

/// Queries a second that one generator submits with ease. Each keeps a core busy, if it does not
/// nap, so more generators leave fewer to the scheduler.
constexpr double kGeneratorRate = 400'000;
constexpr double kMaxGenerators = 64;
/// Before a load, queries come for this long, at this multiple of the load's rate.
constexpr double kWarmUpSeconds = 0.1;
constexpr double kWarmUpRate = 2;

struct PlacementName {
  Placement placement;
  std::string_view name;
};
constexpr std::array<PlacementName, 4> kPlacements{{{Placement::kCpuOnly, "cpu"},
                                                    {Placement::kGpuOnly, "gpu"},
                                                    {Placement::kBetterAlone, "better"},
                                                    {Placement::kBoth, "both"}}};

/// Outcomes by the class of their query.
std::vector<std::vector<LoadOutcome>> by_class(const LoadPlan& plan,
                                               const std::vector<LoadOutcome>& outcomes) {
  std::vector<std::vector<LoadOutcome>> classes(plan.classes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    classes[plan.class_of[i % plan.queries.size()]].push_back(outcomes[i]);
  }
  return classes;
}

/// Bytes that the process has in memory; 0 where the system does not say.
std::uint64_t resident_memory() {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Submits queries at twice a load's rate for a moment, and drops their figures. The engine's
/// memory for batches then grows before the load rather than in it, where all queries would wait.
void warm_up(ScheduledEngine& engine, const LoadPlan& plan, double rate) {
  // No more queries than the load has itself.
  const double seconds = std::min(kWarmUpSeconds, plan.seconds / kWarmUpRate);
  const std::vector<Micros> times =
      arrival_times(ArrivalKind::kPoisson, kWarmUpRate * rate, seconds, plan.seed);
  LoadSettings settings{.arrivals = times, .options = plan.options};
  settings.generators = generators_for(kWarmUpRate * rate);
  // Not the load's first queries, which would then be in the processors' caches.
  const auto queries = std::span(plan.queries).subspan(plan.queries.size() / 2);
  run_load(engine.scheduler(), queries, settings, [](std::size_t) { InterruptGuard::check(); });
  engine.restart();
}

}  // namespace

std::string_view placement_name(Placement placement) {
  for (const PlacementName& known : kPlacements) {
    if (known.placement == placement) return known.name;
  }
  return "";
}

Placement placement_from_name(const std::string& name) {
  for (const PlacementName& known : kPlacements) {
    if (known.name == name) return known.placement;
  }
  throw UsageError("--on takes cpu, gpu, better and both, not '" + name + "'");
}

std::vector<Micros> times_of(const LoadPlan& plan, double rate) {
  check_arrivals(plan, rate);
  if (plan.arrivals == ArrivalKind::kReplay) return replayed_times(plan.log_times, rate);
  std::vector<Micros> times =
      arrival_times(plan.arrivals, rate, plan.seconds, plan.seed, InterruptGuard::check);
  if (times.empty()) times.push_back(0);
  return times;
}

SchedulerSettings settings_for(const LoadPlan& plan, Placement placement) {
  SchedulerSettings settings = plan.settings;
  settings.placement.placement = placement;
  return settings;
}

bool holds(const LoadPlan& plan, const LoadSummary& summary) {
  return summary.missed_share == 0 || summary.missed_share < plan.max_missed;
}

Micros deadline_of(const LoadPlan& plan) {
  return plan.options.has_deadline() ? static_cast<double>(plan.options.deadline.count()) : kNever;
}

HandParts hand_parts_from_names(const std::string& names) {
  HandParts parts;
  for (const std::string& name : split_list("--by-hand", names)) {
    bool* const part = name == "single"    ? &parts.single
                       : name == "batches" ? &parts.batches
                       : name == "full"    ? &parts.full_batches
                                           : nullptr;
    if (part == nullptr) {
      throw UsageError("--by-hand takes single, batches and full, not '" + name + "'");
    }
    *part = true;
  }
  return parts;
}

ScheduledEngine LoadEngines::make(Placement placement) {
  ScheduledEngine engine(snapshot_, gpu_, settings_for(plan_, placement));
  const bool is_cpu_only = placement == Placement::kCpuOnly;
  if (is_cpu_only && cpu_is_warm_) return engine;
  answer_all(engine.scheduler());
  cpu_is_warm_ |= is_cpu_only;
  engine.restart();
  return engine;
}

void LoadEngines::answer_all(Scheduler& scheduler) const {
  constexpr std::size_t kUnderWay = 1'024;  // their answers are in memory
  constexpr std::chrono::milliseconds kLook{50};
  std::deque<std::future<ScheduledAnswer>> answers;
  std::size_t done = 0;
  const auto take = [&] {
    do {
      InterruptGuard::check();
    } while (answers.front().wait_for(kLook) != std::future_status::ready);
    answers.front().get();
    answers.pop_front();
    on_progress_("warming lists", ++done, plan_.queries.size());
  };
  for (const PlannedSearch& query : plan_.queries) {
    if (answers.size() == kUnderWay) take();
    answers.push_back(scheduler.submit(query.plan, query.settings));
  }
  while (!answers.empty()) take();
}

std::size_t generators_for(double rate) {
  return 1 + static_cast<std::size_t>(std::min(rate / kGeneratorRate, kMaxGenerators - 1));
}

LoadPoint run_point(Scheduler& scheduler, const LoadPlan& plan, double rate, Micros nap,
                    const OnLoadProgress& on_progress) {
  const std::vector<Micros> times = times_of(plan, rate);
  LoadSettings settings{.arrivals = times, .options = plan.options};
  settings.generators = generators_for(rate);
  settings.nap = nap;
  LoadPoint point;
  point.rate = rate;
  const auto on_wait = [&](std::size_t submitted) {
    InterruptGuard::check();
    on_progress(grouped(static_cast<std::uint64_t>(rate)) + " queries/s", submitted, times.size());
    if (point.early_memory == 0 && 4 * submitted >= times.size()) {
      point.early_memory = resident_memory();
    }
  };
  const std::vector<LoadOutcome> outcomes =
      run_load(scheduler, plan.queries, settings, on_wait, &point.callers);
  point.late_memory = resident_memory();
  point.cpu_threads = scheduler.jobs().cpu_threads();
  const Micros deadline = deadline_of(plan);
  point.all = summarise_load(outcomes, times, deadline);
  for (const std::vector<LoadOutcome>& of_class : by_class(plan, outcomes)) {
    point.by_class.push_back(summarise_load(of_class, times, deadline));
  }
  point.statistics = scheduler.statistics();
  return point;
}

std::vector<LoadPoint> measure_loads(LoadEngines& engines, const LoadPlan& plan,
                                     const OnLoadProgress& on_progress,
                                     const std::function<void(double rate)>& before) {
  std::vector<LoadPoint> points;
  for (const double rate : plan.rates) {
    before(rate);
    for (const Placement placement : plan.placements) {
      ScheduledEngine engine = engines.make(placement);
      if (placement != Placement::kCpuOnly) warm_up(engine, plan, rate);
      points.push_back(run_point(engine.scheduler(), plan, rate, 0, on_progress));
      points.back().placement = placement;
    }
  }
  return points;
}

}  // namespace warpdex::tools
