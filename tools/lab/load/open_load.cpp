// Submits queries at their times, and sums up their outcomes.
#include "load/open_load.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "run/thread_role.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex::tools {
namespace {

/// The time before the first arrival, in which all generators start.
constexpr Micros kHeadStart = 20'000;
/// The time between two calls of `on_wait`.
constexpr std::chrono::milliseconds kLoadLook{20};

/// A load that is under way.
class Load {
 public:
  Load(Scheduler& scheduler, std::span<const PlannedSearch> queries, const LoadSettings& settings)
      : scheduler_(scheduler),
        queries_(queries),
        settings_(settings),
        outcomes_(settings.arrivals.size()),
        start_(scheduler.jobs().now() + kHeadStart),
        tallies_(std::max<std::size_t>(1, settings.generators)) {}

  /// Submits every `step`-th query, beginning with number `first`.
  void generate(std::size_t first, std::size_t step) {
    ThreadRole role;
    role.enter();
    const ExactSleep exact;
    Micros submitting = 0;
    for (std::size_t i = first; i < outcomes_.size() && !is_ended_.load(std::memory_order_relaxed);
         i += step) {
      PlannedSearch query = queries_[i % queries_.size()];  // copied before it is due
      if (!wait_until_due(start_ + settings_.arrivals[i])) break;
      submitting += submit(i, std::move(query));
    }
    note_caller(role.read(), submitting);
  }

  void end() { is_ended_.store(true, std::memory_order_relaxed); }
  std::size_t submitted() const { return sum_of(&Tally::submitted); }
  std::size_t ended() const { return sum_of(&Tally::ended); }
  std::vector<LoadOutcome> take() { return std::move(outcomes_); }
  const CallerStatistics& callers() const { return callers_; }

 private:
  /// Counts of one generator's queries. Each has its own cache lines, since other threads write the
  /// counts of other generators.
  struct Tally {
    alignas(64) std::atomic<std::size_t> submitted = 0;
    alignas(64) std::atomic<std::size_t> ended = 0;
  };
  Tally& tally(std::size_t number) { return tallies_[number % tallies_.size()]; }
  std::size_t sum_of(std::atomic<std::size_t> Tally::*count) const {
    std::size_t sum = 0;
    for (const Tally& one : tallies_) sum += (one.*count).load(std::memory_order_acquire);
    return sum;
  }

  /// False if the load has ended before.
  bool wait_until_due(Micros moment) const {
    constexpr Micros kLongestSleep = 100'000;
    const auto now = [this] { return scheduler_.jobs().now(); };
    const auto goes_on = [this] { return !is_ended_.load(std::memory_order_relaxed); };
    if (settings_.nap == 0) return wait_for_moment(now, moment, goes_on);
    for (Micros time = now(); time < moment; time = now()) {
      if (!goes_on()) return false;
      std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(
          std::min(kLongestSleep, std::max(settings_.nap, moment - time))));
    }
    return true;
  }

  /// Returns how long submit() took, in microseconds.
  Micros submit(std::size_t number, PlannedSearch&& query) {
    const Micros now = scheduler_.jobs().now();
    outcomes_[number].lag = static_cast<float>(now - start_ - settings_.arrivals[number]);
    tally(number).submitted.fetch_add(1, std::memory_order_relaxed);
    // The callback holds two words, which std::function stores without allocating.
    scheduler_.submit(std::move(query.plan), query.settings, settings_.options,
                      [this, number](ScheduledAnswer&& answer) { note(number, answer); });
    return scheduler_.jobs().now() - now;
  }

  void note_caller(const ThreadStatistics& thread, Micros submitting) {
    const std::lock_guard lock(callers_mutex_);
    callers_.threads.threads += thread.threads;
    callers_.threads.busy += thread.busy;
    callers_.threads.waiting += thread.waiting;
    callers_.submitting += submitting / 1e6;
  }

  void note(std::size_t number, const ScheduledAnswer& answer) {
    LoadOutcome& outcome = outcomes_[number];
    outcome.latency = static_cast<float>(answer.end_time - start_ - settings_.arrivals[number]);
    outcome.end = answer.end;
    outcome.processor = answer.processor;
    tally(number).ended.fetch_add(1, std::memory_order_release);
  }

  Scheduler& scheduler_;
  const std::span<const PlannedSearch> queries_;
  const LoadSettings& settings_;
  std::vector<LoadOutcome> outcomes_;
  const Micros start_;
  std::atomic<bool> is_ended_ = false;
  std::vector<Tally> tallies_;  ///< by generator
  std::mutex callers_mutex_;
  CallerStatistics callers_;
};

bool has_answer(const LoadOutcome& outcome) {
  return outcome.end == JobEnd::kComplete || outcome.end == JobEnd::kPartial;
}

/// Of values of which none behind place `end` is below one before it; so it is for the result's
/// place and `end` afterwards. O(values).
double percentile(std::vector<float>& values, double part, std::size_t& end) {
  const double exact = std::ceil(part * static_cast<double>(values.size())) - 1;
  const auto place = static_cast<std::size_t>(std::max(0.0, exact));
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(0), at(place), at(end));
  end = place + 1;
  return static_cast<double>(values[place]);
}

}  // namespace

std::vector<LoadOutcome> run_load(Scheduler& scheduler, std::span<const PlannedSearch> queries,
                                  const LoadSettings& settings,
                                  const std::function<void(std::size_t)>& on_wait,
                                  CallerStatistics* callers) {
  Load load(scheduler, queries, settings);
  std::exception_ptr failure;
  const std::size_t step = std::max<std::size_t>(1, settings.generators);
  std::atomic<std::size_t> running = step;
  std::vector<std::exception_ptr> failures(step);
  {
    std::vector<std::jthread> generators;
    const auto generate = [&](std::size_t first) {
      try {
        load.generate(first, step);
      } catch (...) {
        failures[first] = std::current_exception();
      }
      running.fetch_sub(1, std::memory_order_release);
    };
    try {
      while (generators.size() < step) generators.emplace_back(generate, generators.size());
    } catch (...) {  // a thread could not be started; those that were end first
      failure = std::current_exception();
      running.fetch_sub(step - generators.size(), std::memory_order_release);
      load.end();
    }
    while (running.load(std::memory_order_acquire) > 0) {
      std::this_thread::sleep_for(kLoadLook);
      try {
        if (on_wait && !failure) on_wait(load.submitted());
      } catch (...) {
        failure = std::current_exception();
        load.end();
        scheduler.jobs().cancel_queued();  // a generator may wait for room
      }
    }
  }
  if (failure) scheduler.jobs().cancel_queued();
  for (const std::exception_ptr& one : failures) {
    if (one && !failure) failure = one;
  }
  const std::size_t lost = static_cast<std::size_t>(
      std::count_if(failures.begin(), failures.end(), [](const auto& one) { return bool(one); }));
  while (load.ended() + lost < load.submitted()) std::this_thread::sleep_for(kLoadLook / 20);
  if (failure) std::rethrow_exception(failure);
  if (callers != nullptr) *callers = load.callers();
  return load.take();
}

LoadSummary summarise_load(std::span<const LoadOutcome> outcomes, std::span<const Micros> arrivals,
                           Micros deadline) {
  LoadSummary summary;
  std::vector<float> latencies;
  std::size_t missed = 0;
  double sum = 0;
  for (const LoadOutcome& outcome : outcomes) {
    ++summary.arrivals;
    summary.max_lag = std::max(summary.max_lag, static_cast<double>(outcome.lag));
    const bool is_complete = outcome.end == JobEnd::kComplete;
    if (!is_complete || static_cast<double>(outcome.latency) > deadline) ++missed;
    if (is_complete && outcome.processor == Processor::kGpu) ++summary.on_gpu;
    if (outcome.end == JobEnd::kPartial) ++summary.partial;
    if (outcome.end == JobEnd::kRefused) ++summary.refused;
    if (outcome.end == JobEnd::kFailed) ++summary.failed;
    if (!has_answer(outcome)) continue;
    latencies.push_back(outcome.latency);
    sum += static_cast<double>(outcome.latency);
  }
  if (summary.arrivals == 0) return summary;
  summary.seconds = (arrivals.back() - arrivals.front()) / 1e6;
  summary.rate = static_cast<double>(summary.arrivals) / std::max(1e-9, summary.seconds);
  summary.answered_rate = static_cast<double>(latencies.size()) / std::max(1e-9, summary.seconds);
  summary.missed_share = static_cast<double>(missed) / static_cast<double>(summary.arrivals);
  if (latencies.empty()) return summary;
  summary.mean = sum / static_cast<double>(latencies.size());
  std::size_t end = latencies.size();
  summary.max = percentile(latencies, 1, end);
  summary.p99 = percentile(latencies, 0.99, end);
  summary.p95 = percentile(latencies, 0.95, end);
  summary.p50 = percentile(latencies, 0.5, end);
  return summary;
}

}  // namespace warpdex::tools
