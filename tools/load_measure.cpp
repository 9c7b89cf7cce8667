// Makes a scheduler for each load.
#include "load_measure.hpp"

#include <array>
#include <memory>

#include "interrupt.hpp"
#include "text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

/// Queries a second that one generator submits with ease.
constexpr double kGeneratorRate = 150'000;

struct PlacementName {
  Placement placement;
  std::string_view name;
};
constexpr std::array<PlacementName, 4> kPlacements{{{Placement::kCpuOnly, "cpu"},
                                                    {Placement::kGpuOnly, "gpu"},
                                                    {Placement::kBetterAlone, "better"},
                                                    {Placement::kBoth, "both"}}};

/// A scheduler with its engine.
struct LoadedScheduler {
  LoadedScheduler(const Index& index, const UploadedIndex* gpu, const LoadPlan& plan,
                  Placement placement) {
    SchedulerSettings settings = plan.settings;
    settings.placement.placement = placement;
    GpuSide side;
    if (gpu != nullptr && placement != Placement::kCpuOnly) {
      side.batches = gpu_batches(settings.placement);
      engine =
          std::make_unique<GpuEngine>(gpu->index, GpuEngineSettings{.max_batches = side.batches});
      side.engine = engine.get();
    }
    scheduler = std::make_unique<Scheduler>(index, side, settings, plan.model);
  }

  std::unique_ptr<GpuEngine> engine;
  std::unique_ptr<Scheduler> scheduler;
};

/// Each query once, with as many under way as the scheduler has room for.
void warm(Scheduler& scheduler, const LoadPlan& plan, const OnLoadProgress& on_progress) {
  std::vector<std::future<QueryAnswer>> answers;
  for (const LoadQuery& query : plan.queries) {
    InterruptGuard::check();
    answers.push_back(scheduler.submit(query.plan, query.settings));
  }
  std::size_t done = 0;
  for (std::future<QueryAnswer>& answer : answers) {
    InterruptGuard::check();
    answer.get();
    on_progress("warming lists", ++done, answers.size());
  }
}

LoadPoint run_point(Scheduler& scheduler, const LoadPlan& plan, double rate,
                    const OnLoadProgress& on_progress) {
  const std::vector<Micros> times = times_of(plan, rate);
  LoadSettings settings{.arrivals = times, .options = plan.options};
  settings.generators = 1 + static_cast<std::size_t>(rate / kGeneratorRate);
  LoadPoint point;
  point.rate = rate;
  const std::vector<LoadOutcome> outcomes =
      run_load(scheduler, plan.queries, settings, [&](std::size_t submitted) {
        InterruptGuard::check();
        on_progress(grouped(static_cast<std::uint64_t>(rate)) + " queries/s", submitted,
                    times.size());
      });
  const Micros deadline =
      plan.options.has_deadline() ? static_cast<double>(plan.options.deadline.count()) : kNever;
  point.all = summarise_load(outcomes, times, deadline);
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    point.by_class.push_back(summarise_load(outcomes, times, deadline, i, plan.classes.size()));
  }
  point.statistics = scheduler.statistics();
  return point;
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
  if (plan.arrivals == ArrivalKind::kReplay) return replayed_times(plan.log_times, rate);
  std::vector<Micros> times = arrival_times(plan.arrivals, rate, plan.seconds, plan.seed);
  if (times.empty()) times.push_back(0);
  return times;
}

std::vector<LoadPoint> measure_loads(const Index& index, const UploadedIndex* gpu,
                                     const LoadPlan& plan, const OnLoadProgress& on_progress) {
  std::vector<LoadPoint> points;
  for (const Placement placement : plan.placements) {
    {
      const LoadedScheduler warming(index, gpu, plan, placement);
      warm(*warming.scheduler, plan, on_progress);
    }
    for (const double rate : plan.rates) {
      const LoadedScheduler loaded(index, gpu, plan, placement);
      points.push_back(run_point(*loaded.scheduler, plan, rate, on_progress));
      points.back().placement = placement;
    }
  }
  return points;
}

}  // namespace warpdex::tools
