// Times queries on CPU threads and on the GPU.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <random>

#include "warpdex/core/parallel.hpp"
#include "warpdex/core/waiting.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/scheduler/calibration.hpp"

namespace warpdex {
namespace {

using Clock = std::chrono::steady_clock;

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Processor time of this thread, in microseconds.
double thread_micros() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// The median time of several calls of `run`, after one that is not timed. Microseconds.
template <typename Run>
double time_of(const MeasureSettings& settings, const Run& run) {
  run();
  std::vector<double> times;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings.repetitions); ++i) {
    const Clock::time_point start = Clock::now();
    run();
    times.push_back(micros_since(start));
  }
  return median(std::move(times));
}

/// Waits for a millisecond, then times `run`. The processor stays awake meanwhile, as it does for
/// the scheduler. Microseconds.
template <typename Run>
double time_after_pause(const Run& run) {
  constexpr std::chrono::microseconds kPause{1'000};
  spin_until([] { return false; }, kPause);
  const Clock::time_point start = Clock::now();
  run();
  return micros_since(start);
}

/// Times of queries in several passes over all of them; the first pass warms and does not count.
class Passes {
 public:
  Passes(std::size_t queries, std::size_t repetitions)
      : repetitions_(std::max<std::size_t>(1, repetitions)), times_(queries * repetitions_) {}

  std::size_t count() const { return repetitions_ + 1; }
  void add(std::size_t pass, std::size_t query, double time) {
    if (pass > 0) times_[query * repetitions_ + pass - 1] = time;
  }
  double median_of(std::size_t query) const {
    const std::span<const double> times = times_of(query);
    return median({times.begin(), times.end()});
  }
  double mean_of(std::size_t query) const {
    const std::span<const double> times = times_of(query);
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(repetitions_);
  }

 private:
  std::span<const double> times_of(std::size_t query) const {
    return std::span(times_).subspan(query * repetitions_, repetitions_);
  }

  const std::size_t repetitions_;
  std::vector<double> times_;
};

class Measurer {
 public:
  Measurer(const Snapshot& snapshot, std::span<const PlannedSearch> queries,
           const MeasureSettings& settings, const OnMeasured& on_measured)
      : snapshot_(snapshot), queries_(queries), settings_(settings), on_measured_(on_measured) {
    result_.queries.resize(queries.size());
  }

  /// Runs passes over all queries, so that each query finds the caches as others have left them.
  void measure_on_cpu() {
    const std::size_t threads =
        settings_.cpu_threads == 0 ? default_threads() : settings_.cpu_threads;
    std::deque<CpuSearcher> searchers;
    for (std::size_t i = 0; i < threads; ++i) searchers.emplace_back(snapshot_);
    Passes passes(queries_.size(), settings_.repetitions);
    std::mutex mutex;
    std::size_t done = 0;
    for (std::size_t pass = 0; pass < passes.count(); ++pass) {
      parallel_for(threads, queries_.size(), [&](std::size_t thread, std::size_t i) {
        const PlannedSearch& query = queries_[i];
        // Time during which other processes had the processor does not count.
        const double used = thread_micros();
        const Clock::time_point start = Clock::now();
        searchers[thread].run(query.plan, query.settings);
        const double took = micros_since(start);
        passes.add(pass, i, std::min(took, thread_micros() - used));
        const std::lock_guard lock(mutex);
        tell("CPU", ++done, queries_.size() * passes.count());
      });
    }
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      result_.queries[i].cpu = static_cast<float>(passes.median_of(i));
      result_.queries[i].cpu_mean = static_cast<float>(passes.mean_of(i));
    }
  }

  void measure_alone(Engine& engine) {
    Passes passes(queries_.size(), settings_.repetitions);
    std::vector<bool> is_answered(queries_.size());
    std::size_t done = 0;
    for (std::size_t pass = 0; pass < passes.count(); ++pass) {
      for (std::size_t i = 0; i < queries_.size(); ++i) {
        const Clock::time_point start = Clock::now();
        is_answered[i] =
            engine.run(std::span(&queries_[i].plan, 1), queries_[i].settings)[0].is_answered;
        passes.add(pass, i, micros_since(start));
        tell("GPU, single queries", ++done, queries_.size() * passes.count());
      }
    }
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      if (is_answered[i]) result_.queries[i].gpu_alone = static_cast<float>(passes.median_of(i));
    }
  }

  /// Times some queries of each class as on an idle machine: one at a time, with a pause before
  /// each, so that caches, driver and GPU have cooled down.
  void measure_idle(Engine* engine) {
    const std::vector<std::uint32_t> chosen = some_of_each_class(settings_.idle_queries);
    CpuSearcher searcher(snapshot_);
    Passes on_cpu(chosen.size(), settings_.repetitions);
    Passes on_gpu(chosen.size(), settings_.repetitions);
    for (std::size_t pass = 0; pass < on_cpu.count(); ++pass) {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const PlannedSearch& query = queries_[chosen[i]];
        on_cpu.add(pass, i, time_after_pause([&] { searcher.run(query.plan, query.settings); }));
        if (engine != nullptr && result_.queries[chosen[i]].gpu_alone > 0) {
          on_gpu.add(pass, i, time_after_pause([&] {
                       engine->run(std::span(&query.plan, 1), query.settings);
                     }));
        }
        tell("idle machine", pass * chosen.size() + i, chosen.size() * on_cpu.count());
      }
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      result_.queries[chosen[i]].cpu_idle = static_cast<float>(on_cpu.median_of(i));
      result_.queries[chosen[i]].gpu_idle = static_cast<float>(on_gpu.median_of(i));
    }
  }

  /// Times batches of queries that the GPU can answer, each of one class.
  void measure_batches(Engine& engine) {
    std::map<std::size_t, std::vector<std::uint32_t>> classes;
    for (std::uint32_t i = 0; i < queries_.size(); ++i) {
      if (result_.queries[i].gpu_alone > 0) {
        classes[query_class(queries_[i].settings)].push_back(i);
      }
    }
    const std::size_t all = classes.size() * settings_.batch_sizes.size() * settings_.batches;
    std::mt19937_64 random(settings_.seed);
    for (const auto& [query_class, members] : classes) {
      for (const std::size_t size : settings_.batch_sizes) {
        for (std::size_t i = 0; i < settings_.batches; ++i) {
          measure_batch(engine, members, size, random);
          tell("GPU, batches", result_.batches.size(), all);
        }
      }
    }
  }

  CostMeasurements take_result() { return std::move(result_); }

 private:
  void tell(const char* what, std::size_t done, std::size_t all) const {
    if (on_measured_) on_measured_(what, done, all);
  }

  /// Up to `count` queries of each class, spread over all of the class.
  std::vector<std::uint32_t> some_of_each_class(std::size_t count) const {
    std::map<std::size_t, std::vector<std::uint32_t>> classes;
    for (std::uint32_t i = 0; i < queries_.size(); ++i) {
      classes[query_class(queries_[i].settings)].push_back(i);
    }
    std::vector<std::uint32_t> chosen;
    for (const auto& [query_class, members] : classes) {
      const std::size_t wanted = std::min(count, members.size());
      for (std::size_t i = 0; i < wanted; ++i) {
        chosen.push_back(members[i * members.size() / wanted]);
      }
    }
    return chosen;
  }

  void take(std::span<const std::uint32_t> members) {
    plans_.clear();
    plan_settings_.clear();
    for (const std::uint32_t member : members) {
      plans_.push_back(queries_[member].plan);
      plan_settings_.push_back(queries_[member].settings);
    }
  }

  void measure_batch(Engine& engine, std::span<const std::uint32_t> members, std::size_t size,
                     std::mt19937_64& random) {
    MeasuredBatch batch;
    for (std::size_t i = 0; i < size; ++i) {
      batch.queries.push_back(members[random() % members.size()]);
    }
    take(batch.queries);
    batch.time = time_of(settings_, [&] { engine.run(plans_, plan_settings_); });
    result_.batches.push_back(std::move(batch));
  }

  const Snapshot& snapshot_;
  const std::span<const PlannedSearch> queries_;
  const MeasureSettings& settings_;
  const OnMeasured& on_measured_;
  CostMeasurements result_;
  std::vector<PlannedQuery> plans_;
  std::vector<SearchSettings> plan_settings_;
};

}  // namespace

CostMeasurements measure_costs(const Snapshot& snapshot, Engine* engine,
                               std::span<const PlannedSearch> queries,
                               const MeasureSettings& settings, const OnMeasured& on_measured) {
  Measurer measurer(snapshot, queries, settings, on_measured);
  measurer.measure_on_cpu();
  if (engine != nullptr) {
    measurer.measure_alone(*engine);
    measurer.measure_batches(*engine);
  }
  measurer.measure_idle(engine);
  return measurer.take_result();
}

}  // namespace warpdex
