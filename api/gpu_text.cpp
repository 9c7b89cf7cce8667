// Batches of several threads share one engine, which one thread at a time may call.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <semaphore>
#include <thread>

#include "text_engine.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex {
namespace {

/// Batches under way at a time; further ones wait.
constexpr std::ptrdiff_t kBatches = 4;
/// Between two looks at a batch that takes long.
constexpr std::chrono::microseconds kPause{20};

/// A place for a batch, for the lifetime of this.
class BatchRoom {
 public:
  using Rooms = std::counting_semaphore<kBatches>;
  explicit BatchRoom(Rooms& rooms) : rooms_(rooms) { rooms_.acquire(); }
  ~BatchRoom() { rooms_.release(); }
  BatchRoom(const BatchRoom&) = delete;
  BatchRoom& operator=(const BatchRoom&) = delete;

 private:
  Rooms& rooms_;
};

class GpuText final : public TextEngine {
 public:
  GpuText(const GpuGroup& gpus, TextEngine& cpu)
      : engine_(gpus, {.max_batches = kBatches}), cpu_(cpu) {}

  std::vector<TextAnswer> search(std::span<const PlannedQuery> plans,
                                 const SearchSettings& settings,
                                 const SearchLimits& limits) override {
    std::vector<TextAnswer> answers(plans.size());
    std::vector<std::size_t> left;
    std::vector<PlannedQuery> left_plans;
    limits.check_stop();
    ProgressReport report(limits);
    {
      const BatchRoom room(rooms_);
      // The answers' memory is the engine's: they go before the room does.
      const BatchAnswers batch = run(plans, settings, report);
      for (std::size_t i = 0; i < plans.size(); ++i) {
        if (batch[i].is_answered) {
          answers[i].result = batch.result(i);
          answers[i].is_of_gpu = true;
        } else {
          left.push_back(i);
          left_plans.push_back(plans[i]);
        }
      }
    }
    report.add(plans.size() - left.size());
    report.finish();
    limits.check_stop();
    if (left.empty()) return answers;
    std::vector<TextAnswer> others = cpu_.search(left_plans, settings, limits);
    for (std::size_t i = 0; i < left.size(); ++i) answers[left[i]] = std::move(others[i]);
    return answers;
  }

 private:
  BatchAnswers run(std::span<const PlannedQuery> plans, const SearchSettings& settings,
                   ProgressReport& report) {
    Ticket ticket{};
    {
      const std::lock_guard lock(mutex_);
      ticket = engine_.submit(plans, std::span(&settings, 1));
    }
    const auto is_done = [&] {
      const std::lock_guard lock(mutex_);
      return engine_.poll(ticket);
    };
    if (!spin_until(is_done, kDefaultSpin)) {
      // A batch cannot be stopped: where progress throws, that comes at its end.
      while (!is_done()) {
        report.goes_on();
        std::this_thread::sleep_for(kPause);
      }
    }
    const std::lock_guard lock(mutex_);
    return engine_.wait(ticket);
  }

  std::mutex mutex_;  ///< of the engine
  GpuGroupEngine engine_;
  BatchRoom::Rooms rooms_{kBatches};
  TextEngine& cpu_;
};

}  // namespace

std::unique_ptr<TextEngine> make_gpu_text(const GpuGroup& gpus, TextEngine& cpu) {
  return std::make_unique<GpuText>(gpus, cpu);
}

}  // namespace warpdex
