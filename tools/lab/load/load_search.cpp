// Brackets the rate, then halves the bracket. The simulator gets measured costs.
#include "load/load_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "load/load_closed.hpp"
#include "load/overlapped_batches.hpp"
#include "output/interrupt.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {
namespace {

// The first step of the search. Each further one is the square of the one before, up to kLastStep.
constexpr double kFirstStep = 1.06;
constexpr double kLastStep = 2;
constexpr double kExact = 1.02;  // the bracket that ends the search
/// Of what is answered with queries always waiting, this is likely to be in time.
constexpr double kGuess = 0.85;
constexpr double kGuessSeconds = 1;
/// A load that does not hold runs again, up to kTries times in all, if even the threads that submit
/// were later than this part of the deadline: then something delayed the whole machine.
constexpr double kLag = 0.01;
constexpr std::size_t kTries = 3;
/// Threads that submit sleep for this part of the deadline, and leave their cores to the scheduler
/// meanwhile.
constexpr double kNap = 1e-3;
constexpr Micros kMaxNap = 100;

/// Runs loads in the simulator.
class SimulatedLoads {
 public:
  SimulatedLoads(const Snapshot& snapshot, const UploadedIndex* gpu, const LoadPlan& plan,
                 const OnLoadProgress& on_progress)
      : plan_(plan) {
    std::unique_ptr<GpuGroupEngine> engine;
    if (gpu != nullptr) engine = std::make_unique<GpuGroupEngine>(gpu->make_engine());
    MeasureSettings measure;
    measure.cpu_threads = plan.settings.cpu_threads;
    const CostMeasurements measured =
        measure_costs(snapshot, engine.get(), plan.queries, measure,
                      [&](const char* what, std::size_t done, std::size_t all) {
                        InterruptGuard::check();
                        on_progress(std::string("measuring costs: ") + what, done, all);
                      });
    // Shares of batches can only be fitted; a fit to these queries is the nearest to their truth.
    const HasList is_there = has_list(gpu);
    const Calibration calibration = calibrate(snapshot, plan.queries, measured, is_there);
    queries_ = simulated_queries(snapshot, plan.queries, measured, calibration.model, is_there);
    MeasuredBatch overlapped;
    if (engine) overlapped = measure_overlapped(*engine, plan.queries, measured, measure);
    with_.occupancy = gpu_occupancy(queries_, overlapped);
    if (const std::size_t count = overlapped.queries.size(); count > 0) {
      with_.batch = overlapped.time / static_cast<double>(count) * kOverlappedBatch;
    }
    for (const SimulatedQuery& query : queries_) {
      with_.cpu += static_cast<double>(query.measured.cpu) / static_cast<double>(queries_.size());
    }
  }

  /// As `like` was placed, with its threads and what they took for a query.
  LoadSummary run(const LoadPoint& like, double rate) const {
    SimulatorSettings settings;
    settings.placement = settings_for(plan_, like.placement).placement;
    settings.cpu_threads = like.cpu_threads;
    settings.capacity = plan_.settings.capacity;
    settings.options = plan_.options;
    settings.occupancy = with_.occupancy;
    settings.host = simulated_host(like.statistics, like.cpu_threads);
    settings.host.callers = generators_for(rate);
    const std::vector<Micros> times = times_of(plan_, rate);
    return summarise_load(simulate_load(queries_, times, settings), times, deadline_of(plan_));
  }

  const SimulatedWith& with() const { return with_; }

 private:
  const LoadPlan& plan_;
  std::vector<SimulatedQuery> queries_;
  SimulatedWith with_;
};

}  // namespace

double find_highest_rate(double guess, const std::function<bool(double rate)>& holds) {
  double low = 0;  // holds
  double high = std::numeric_limits<double>::infinity();
  double step = kFirstStep;
  for (double rate = guess; low == 0 || std::isinf(high); step = std::min(kLastStep, step * step)) {
    if (holds(rate)) {
      low = rate;
      rate *= step;
    } else {
      high = rate;
      rate /= step;
      if (rate < guess / 1e3) return 0;
    }
  }
  while (high / low > kExact) {
    const double rate = std::sqrt(low * high);
    (holds(rate) ? low : high) = rate;
  }
  return low;
}

std::vector<HighestRate> find_rates(LoadEngines& engines, const LoadPlan& plan,
                                    std::vector<LoadPoint>& points,
                                    const OnLoadProgress& on_progress) {
  const Micros nap = std::min(kMaxNap, kNap * deadline_of(plan));
  std::vector<HighestRate> found;
  for (const Placement placement : plan.placements) {
    ScheduledEngine engine = engines.make(placement);
    const double guess = kGuess * run_callers(engine.scheduler(), plan, plan.settings.capacity,
                                              kGuessSeconds, on_progress)
                                      .rate;
    HighestRate highest{placement, 0, std::nullopt};
    const auto holds_once = [&](double rate) {
      engine.restart();
      points.push_back(run_point(engine.scheduler(), plan, rate, nap, on_progress));
      LoadPoint& point = points.back();
      point.placement = placement;
      point.is_search = true;
      if (!holds(plan, point.all)) return false;
      highest.load = point;
      return true;
    };
    highest.live = find_highest_rate(guess, [&](double rate) {
      for (std::size_t i = 1; i < kTries; ++i) {
        if (holds_once(rate)) return true;
        if (points.back().all.max_lag <= kLag * deadline_of(plan)) return false;
      }
      return holds_once(rate);
    });
    found.push_back(std::move(highest));
  }
  return found;
}

SimulatedWith simulate_loads(const Snapshot& snapshot, const UploadedIndex* gpu,
                             const LoadPlan& plan, std::vector<LoadPoint>& points,
                             std::vector<HighestRate>& rates, const OnLoadProgress& on_progress) {
  const SimulatedLoads simulated(snapshot, gpu, plan, on_progress);
  for (LoadPoint& point : points) {
    InterruptGuard::check();
    if (point.is_search) continue;  // the highest rate is searched below
    point.simulated = simulated.run(point, point.rate);
  }
  parallel_for(0, rates.size(), [&](std::size_t, std::size_t i) {
    HighestRate& rate = rates[i];
    if (rate.live == 0) return;
    rate.simulated = find_highest_rate(rate.live, [&](double tried) {
      InterruptGuard::check();
      return holds(plan, simulated.run(rate.load, tried));
    });
  });
  return simulated.with();
}

}  // namespace warpdex::tools
