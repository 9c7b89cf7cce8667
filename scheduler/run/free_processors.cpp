// Compares the clocks of the process and of its CPU threads.
#include "run/free_processors.hpp"

#include <time.h>

#include <algorithm>

namespace warpdex {
namespace {

/// Other threads are left this much more than they used: builders and deliverers work in bursts,
/// and while they wait for a processor, they seem to need less.
constexpr double kSparePart = 1.0 / 8;  // of all processors

/// The processor time of all threads of this process, in seconds.
double process_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

bool FreeProcessors::look(Micros now, const ThreadRole& cpu_threads) {
  if (now < next_look_.load(std::memory_order_relaxed)) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  next_look_.store(now + kWindow, std::memory_order_relaxed);
  const double others = process_time() - cpu_threads.busy();
  if (looked_at_ > 0 && now > looked_at_) {
    const double used = (others - others_) * 1e6 / (now - looked_at_);
    const double left = static_cast<double>(processors_) * (1 - kSparePart) - used;
    count_.store(static_cast<std::size_t>(std::max(0.0, left + 0.5)), std::memory_order_relaxed);
  }
  others_ = others;
  looked_at_ = now;
  return true;
}

}  // namespace warpdex
