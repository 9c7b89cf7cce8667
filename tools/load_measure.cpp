// Makes a scheduler for each load.
#include "load_measure.hpp"

#include <array>
#include <memory>

#include "interrupt.hpp"
#include "text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/scheduler/simulator.hpp"

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

SchedulerSettings settings_for(const LoadPlan& plan, Placement placement) {
  SchedulerSettings settings = plan.settings;
  settings.placement.placement = placement;
  return settings;
}

Micros deadline_of(const LoadPlan& plan) {
  return plan.options.has_deadline() ? static_cast<double>(plan.options.deadline.count()) : kNever;
}

/// Each query once, with as many under way as the scheduler has room for.
void warm(Scheduler& scheduler, const LoadPlan& plan, const OnLoadProgress& on_progress) {
  std::vector<std::future<ScheduledAnswer>> answers;
  for (const LoadQuery& query : plan.queries) {
    InterruptGuard::check();
    answers.push_back(scheduler.submit(query.plan, query.settings));
  }
  std::size_t done = 0;
  for (std::future<ScheduledAnswer>& answer : answers) {
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
  point.cpu_threads = scheduler.jobs().cpu_threads();
  const Micros deadline = deadline_of(plan);
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
      ScheduledEngine warming(index, gpu, settings_for(plan, placement));
      warm(warming.scheduler(), plan, on_progress);
    }
    for (const double rate : plan.rates) {
      ScheduledEngine loaded(index, gpu, settings_for(plan, placement));
      points.push_back(run_point(loaded.scheduler(), plan, rate, on_progress));
      points.back().placement = placement;
    }
  }
  return points;
}

void simulate_loads(const Index& index, const UploadedIndex* gpu, const LoadPlan& plan,
                    std::vector<LoadPoint>& points, const OnLoadProgress& on_progress) {
  std::unique_ptr<GpuEngine> engine;
  if (gpu != nullptr) engine = std::make_unique<GpuEngine>(gpu->make_engine());
  MeasureSettings measure;
  measure.cpu_threads = plan.settings.cpu_threads;
  const CostMeasurements measured =
      measure_costs(index, engine.get(), plan.queries, measure,
                    [&](const char* what, std::size_t done, std::size_t all) {
                      InterruptGuard::check();
                      on_progress(std::string("measuring costs: ") + what, done, all);
                    });
  // Shares of batches can only be fitted; a fit to these queries is the nearest to their truth.
  const double missing = missing_share(gpu);
  const Calibration calibration = calibrate(index, plan.queries, measured, missing);
  const std::vector<SimulatedQuery> queries =
      simulated_queries(index, plan.queries, measured, calibration.model, missing);
  for (LoadPoint& point : points) {
    SimulatorSettings settings;
    settings.placement = plan.settings.placement;
    settings.placement.placement = point.placement;
    settings.cpu_threads = point.cpu_threads;
    settings.capacity = plan.settings.capacity;
    settings.options = plan.options;
    settings.outrun = plan.settings.outrun;
    settings.occupancy = measured.occupancy;
    const std::vector<Micros> times = times_of(plan, point.rate);
    point.simulated =
        summarise_load(simulate_load(queries, times, settings), times, deadline_of(plan));
  }
}

}  // namespace warpdex::tools
