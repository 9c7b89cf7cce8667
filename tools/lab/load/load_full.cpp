// Submits a batch when its last query is due.
#include "load/load_full.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <utility>

#include "output/interrupt.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex::tools {
namespace {

/// One load in full batches.
class FullBatchLoad {
 public:
  FullBatchLoad(Engine& engine, QueryRing& ring, std::span<const Micros> times)
      : engine_(engine), times_(times), ring_(ring), outcomes_(times.size()) {}

  std::vector<LoadOutcome> run(const OnLoadProgress& on_progress) {
    start_ = Clock::now();
    for (std::size_t first = 0; first < times_.size(); first += kWholeBatch) {
      InterruptGuard::check();
      on_progress("full batches", first, times_.size());
      const std::size_t count = std::min(kWholeBatch, times_.size() - first);
      while (now() < times_[first + count - 1]) {
        InterruptGuard::check();
        look();
        pause_thread();
      }
      if (under_way_.size() == kInFlight) finish();
      under_way_.push_back({ring_.submit(engine_, count), first, count});
    }
    while (!under_way_.empty()) finish();
    return std::move(outcomes_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kInFlight = 3;
  struct Batch {
    Ticket ticket;
    std::size_t first;
    std::size_t count;
  };

  Micros now() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
  }
  void look() {
    if (!under_way_.empty() && engine_.poll(under_way_.front().ticket)) finish();
  }
  void finish() {
    const Batch batch = under_way_.front();
    under_way_.pop_front();
    const BatchAnswers answers = engine_.wait(batch.ticket);
    const Micros end = now();
    for (std::size_t i = 0; i < batch.count; ++i) {
      LoadOutcome& outcome = outcomes_[batch.first + i];
      outcome.latency = static_cast<float>(end - times_[batch.first + i]);
      outcome.processor = Processor::kGpu;
      if (!answers[i].is_answered) outcome.end = JobEnd::kFailed;
    }
  }

  Engine& engine_;
  const std::span<const Micros> times_;
  QueryRing& ring_;
  std::vector<LoadOutcome> outcomes_;
  std::deque<Batch> under_way_;
  Clock::time_point start_;
};

/// Answers some whole batches at once. The engine's memory for batches then grows before a load
/// rather than in it.
void warm_up(Engine& engine, QueryRing& ring) {
  constexpr std::size_t kBatches = 12;
  const std::vector<Micros> at_once(kBatches * kWholeBatch, 0);
  run_full_batches(engine, ring, at_once, [](const std::string&, std::size_t, std::size_t) {});
}

}  // namespace

std::vector<LoadOutcome> run_full_batches(Engine& engine, QueryRing& ring,
                                          std::span<const Micros> times,
                                          const OnLoadProgress& on_progress) {
  return FullBatchLoad(engine, ring, times).run(on_progress);
}

std::vector<FullBatches> measure_full_batches(const UploadedIndex& gpu, const LoadPlan& plan,
                                              const OnLoadProgress& on_progress) {
  std::vector<FullBatches> figures;
  if (!plan.by_hand.full_batches) return figures;
  for (const double rate : plan.rates) {
    QueryRing ring(plan, kWholeBatch);
    GpuGroupEngine engine = gpu.make_engine({.max_batches = 3});
    warm_up(engine, ring);
    const std::vector<Micros> times = times_of(plan, rate);
    const std::vector<LoadOutcome> outcomes = run_full_batches(engine, ring, times, on_progress);
    figures.push_back({rate, summarise_load(outcomes, times, deadline_of(plan))});
  }
  return figures;
}

}  // namespace warpdex::tools
