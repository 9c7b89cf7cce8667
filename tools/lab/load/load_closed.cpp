// Callers without threads of their own: an answer's callback submits the next query.
#include "load/load_closed.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr std::chrono::milliseconds kPause{5};

class Callers {
 public:
  Callers(Scheduler& scheduler, const LoadPlan& plan, std::size_t count)
      : scheduler_(scheduler), plan_(plan), of_caller_(count) {}

  void start() {
    for (std::size_t caller = 0; caller < of_caller_.size(); ++caller) submit(caller);
  }
  /// Lets what is under way end.
  void end() {
    is_ending_.store(true, std::memory_order_relaxed);
    while (ended_.load(std::memory_order_acquire) < of_caller_.size()) {
      std::this_thread::sleep_for(kPause);
    }
  }
  bool has_failed() const { return failed_.load(std::memory_order_relaxed); }

  /// Nanoseconds of each answer. After end().
  std::vector<std::uint64_t> times() const {
    std::vector<std::uint64_t> all;
    for (const std::vector<std::uint64_t>& one : of_caller_) {
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

 private:
  void submit(std::size_t caller) {
    if (is_ending_.load(std::memory_order_relaxed)) {
      ended_.fetch_add(1, std::memory_order_release);
      return;
    }
    const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
    const PlannedSearch& query = plan_.queries[number % plan_.queries.size()];
    scheduler_.submit(query.plan, query.settings, {.overload = OverloadPolicy::kRefuse},
                      [this, caller](ScheduledAnswer&& answer) { note(caller, answer); });
  }

  void note(std::size_t caller, const ScheduledAnswer& answer) {
    if (answer.end != JobEnd::kComplete) {
      failed_.store(true, std::memory_order_relaxed);
      is_ending_.store(true, std::memory_order_relaxed);
    } else {
      of_caller_[caller].push_back(static_cast<std::uint64_t>(answer.took * 1e3));
    }
    submit(caller);
  }

  Scheduler& scheduler_;
  const LoadPlan& plan_;
  std::vector<std::vector<std::uint64_t>> of_caller_;  ///< nanoseconds
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> ended_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> failed_ = false;
};

}  // namespace

ClosedLoop run_callers(Scheduler& scheduler, const LoadPlan& plan, std::size_t count,
                       double seconds, const OnLoadProgress& on_progress) {
  Callers callers(scheduler, plan, count);
  const Micros start = scheduler.jobs().now();
  callers.start();
  Micros now = start;
  std::exception_ptr failure;
  while (now - start < seconds * 1e6 && !failure && !callers.has_failed()) {
    std::this_thread::sleep_for(kPause);
    now = scheduler.jobs().now();
    try {
      InterruptGuard::check();
      on_progress(counted(count, "caller"), static_cast<std::size_t>(now - start),
                  static_cast<std::size_t>(seconds * 1e6));
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) scheduler.jobs().cancel_queued();
  callers.end();
  if (failure) std::rethrow_exception(failure);
  if (callers.has_failed())
    throw Error("a query of a load failed; warpdex verify checks the index");
  const double took = (scheduler.jobs().now() - start) / 1e6;
  std::vector<std::uint64_t> times = callers.times();
  ClosedLoop loop;
  loop.callers = count;
  loop.rate = static_cast<double>(times.size()) / took;
  loop.latency = summarise(std::move(times));
  return loop;
}

}  // namespace warpdex::tools
