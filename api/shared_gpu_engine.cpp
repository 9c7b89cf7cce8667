#include "shared_gpu_engine.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "warpdex/core/waiting.hpp"

namespace warpdex {
namespace {

/// Between two looks at a batch that takes long.
constexpr std::chrono::microseconds kPause{20};

/// A place for a batch, for the lifetime of this.
template <class Rooms>
class BatchRoom {
 public:
  explicit BatchRoom(Rooms& rooms) : rooms_(rooms) { rooms_.acquire(); }
  ~BatchRoom() { rooms_.release(); }
  BatchRoom(const BatchRoom&) = delete;
  BatchRoom& operator=(const BatchRoom&) = delete;

 private:
  Rooms& rooms_;
};

}  // namespace

SharedGpuEngine::SharedGpuEngine(const GpuGroup& gpus, std::shared_ptr<const GpuBlocks> blocks)
    : engine_(gpus, {.max_batches = kBatches, .blocks = std::move(blocks)}) {}

void SharedGpuEngine::run(std::span<const PlannedQuery> plans,
                          std::span<const SearchSettings> settings,
                          const std::function<void(const BatchAnswers&)>& take,
                          const std::function<void()>& on_wait) {
  // The answers' memory is the engine's: they go before the room does.
  const BatchRoom room(rooms_);
  Ticket ticket{};
  {
    const std::lock_guard lock(mutex_);
    ticket = engine_.submit(plans, settings);
  }
  take(wait(ticket, on_wait));
}

BatchAnswers SharedGpuEngine::wait(Ticket ticket, const std::function<void()>& on_wait) {
  const auto is_done = [&] {
    const std::lock_guard lock(mutex_);
    return engine_.poll(ticket);
  };
  if (!spin_until(is_done, kDefaultSpin)) {
    while (!is_done()) {
      if (on_wait) on_wait();
      std::this_thread::sleep_for(kPause);
    }
  }
  const std::lock_guard lock(mutex_);
  return engine_.wait(ticket);
}

}  // namespace warpdex
