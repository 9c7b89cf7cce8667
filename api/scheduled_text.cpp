// Each query goes to the scheduler, which makes batches of those of all threads.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "text_engine.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/scheduler/cost_model.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex {
namespace {

/// The answers of one call, as they come in.
class Arrivals {
 public:
  explicit Arrivals(std::size_t queries) : answers_(queries), left_(queries) {}

  void take(std::size_t query, ScheduledAnswer&& answer) {
    const std::lock_guard lock(mutex_);
    answers_[query] = std::move(answer);
    if (--left_ == 0) done_.notify_one();  // under the lock: the waiting thread ends this
  }

  /// Those that were never submitted.
  void give_up(std::size_t queries) {
    const std::lock_guard lock(mutex_);
    left_ -= queries;
  }

  /// Calls `on_wait` some times a second, until all are there.
  template <class OnWait>
  std::vector<ScheduledAnswer>& wait(const OnWait& on_wait) {
    constexpr std::chrono::milliseconds kLook{20};
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, kLook, [this] { return left_ == 0; })) {
      const std::size_t left = left_;
      lock.unlock();
      on_wait(left);
      lock.lock();
    }
    return answers_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<ScheduledAnswer> answers_;
  std::size_t left_;
};

class ScheduledText final : public TextEngine {
 public:
  ScheduledText(const GpuGroup& gpus, std::size_t threads)
      : engine_(gpus, {.max_batches = gpu_batches(PlacementSettings{})}),
        background_(gpus, {.max_batches = kBackgroundBatches, .is_background = true}) {
    GpuSide gpu;
    gpu.engine = &engine_;
    gpu.background = &background_;
    gpu.batches = gpu_batches(PlacementSettings{});
    if (!gpus.is_resident()) {
      gpu.has_list = [gpus](std::size_t segment, const PostingsEntry& list) {
        return gpus.has_list(segment, list);
      };
    }
    SchedulerSettings settings;
    settings.cpu_threads = threads;
    const double speed = gpu_speed(device_info(gpus.replica(0)[0].device()));
    scheduler_.emplace(gpus.snapshot(), gpu, settings, load_cost_model(gpus.snapshot(), speed));
  }

  std::vector<TextAnswer> search(std::span<const PlannedQuery> plans,
                                 const SearchSettings& settings,
                                 const SearchLimits& limits) override {
    Arrivals arrivals(plans.size());
    std::vector<QueryHandle> handles;
    try {
      submit(plans, settings, limits, arrivals, handles);
    } catch (...) {
      for (const QueryHandle& handle : handles) scheduler_->cancel(handle);
      arrivals.give_up(plans.size() - handles.size());
      arrivals.wait([](std::size_t) {});
      throw;
    }
    std::vector<TextAnswer> answers;
    ProgressReport report(limits);
    const auto cancel = [&] {
      for (const QueryHandle& handle : handles) scheduler_->cancel(handle);
    };
    {
      const std::stop_callback on_stop(limits.stop, cancel);
      std::size_t told = 0;
      const auto tell = [&](std::size_t left) {
        report.add(plans.size() - left - std::exchange(told, plans.size() - left));
        if (!report.goes_on()) cancel();
      };
      for (ScheduledAnswer& answer : arrivals.wait(tell))
        answers.push_back(taken(std::move(answer)));
      report.add(plans.size() - told);
    }
    report.finish();
    limits.check_stop();
    return answers;
  }

 private:
  void submit(std::span<const PlannedQuery> plans, const SearchSettings& settings,
              const SearchLimits& limits, Arrivals& arrivals, std::vector<QueryHandle>& handles) {
    handles.reserve(plans.size());
    JobOptions options;
    if (limits.has_end()) {
      options.deadline = std::max(std::chrono::microseconds(1),
                                  std::chrono::duration_cast<std::chrono::microseconds>(
                                      limits.end - SearchLimits::Clock::now()));
      options.overload = OverloadPolicy::kPartial;
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
      limits.check_stop();
      handles.push_back(scheduler_->submit(
          plans[i], settings, options,
          [&arrivals, i](ScheduledAnswer&& answer) { arrivals.take(i, std::move(answer)); }));
    }
  }

  static TextAnswer taken(ScheduledAnswer&& answer) {
    if (answer.failure) std::rethrow_exception(answer.failure);
    return {std::move(answer.result), answer.end == JobEnd::kComplete, answer.max_missing_score,
            answer.processor == Processor::kGpu};
  }

  // The scheduler ends before its engines.
  GpuGroupEngine engine_;
  GpuGroupEngine background_;
  std::optional<Scheduler> scheduler_;
};

}  // namespace

std::unique_ptr<TextEngine> make_scheduled_text(const GpuGroup& gpus, std::size_t threads) {
  return std::make_unique<ScheduledText>(gpus, threads);
}

}  // namespace warpdex
