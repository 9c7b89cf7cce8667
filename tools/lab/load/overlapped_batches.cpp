// Draws batches, and times them while two at a time are under way.
#include "load/overlapped_batches.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "run/thread_shares.hpp"

namespace warpdex::tools {
namespace {

constexpr std::size_t kOverlappedBatches = 8;

/// Numbers of queries that the engine answers; none if it answers no query.
std::vector<std::uint32_t> draw_answered(const CostMeasurements& measurements, std::uint64_t seed) {
  std::vector<std::uint32_t> answered;
  for (std::uint32_t i = 0; i < measurements.queries.size(); ++i) {
    if (measurements.queries[i].gpu_alone > 0) answered.push_back(i);
  }
  std::vector<std::uint32_t> drawn;
  if (answered.empty()) return drawn;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < kOverlappedBatches * kOverlappedBatch; ++i) {
    drawn.push_back(answered[random() % answered.size()]);
  }
  return drawn;
}

/// Submits the batches one by one, each while the one before runs, from as many threads as the
/// scheduler does.
class OverlappedRun {
 public:
  OverlappedRun(Engine& engine, std::span<const PlannedSearch> queries,
                std::span<const std::uint32_t> drawn, std::size_t cpu_threads)
      : engine_(engine), builders_(static_cast<int>(thread_shares(cpu_threads, true).builders)) {
    for (const std::uint32_t query : drawn) {
      plans_.push_back(queries[query].plan);
      settings_.push_back(queries[query].settings);
    }
  }

  /// Returns how long all batches took, in microseconds.
  double operator()() {
    const auto start = std::chrono::steady_clock::now();
    Ticket before = submit(0);
    for (std::size_t batch = 1; batch < kOverlappedBatches; ++batch) {
      const Ticket next = submit(batch);
      engine_.wait(before);
      before = next;
    }
    engine_.wait(before);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
  }

 private:
  Ticket submit(std::size_t batch) {
    const std::size_t first = batch * kOverlappedBatch;
    return builders_.execute([&] {
      return engine_.submit(std::span(plans_).subspan(first, kOverlappedBatch),
                            std::span(settings_).subspan(first, kOverlappedBatch));
    });
  }

  Engine& engine_;
  tbb::task_arena builders_;
  std::vector<PlannedQuery> plans_;
  std::vector<SearchSettings> settings_;
};

}  // namespace

MeasuredBatch measure_overlapped(Engine& engine, std::span<const PlannedSearch> queries,
                                 const CostMeasurements& measurements,
                                 const MeasureSettings& settings) {
  MeasuredBatch all{draw_answered(measurements, settings.seed)};
  if (all.queries.empty()) return all;
  OverlappedRun run(engine, queries, all.queries, settings.cpu_threads);
  run();
  std::vector<double> times;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings.repetitions); ++i) {
    times.push_back(run());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  all.time = *middle;
  return all;
}

}  // namespace warpdex::tools
