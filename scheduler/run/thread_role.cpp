// Reads the clocks of threads, and from Linux the times that they waited for a processor.
#include "run/thread_role.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace warpdex {
namespace {

/// Seconds; 0 for a thread that has ended.
double busy_of(clockid_t clock) {
  timespec busy{};
  if (::clock_gettime(clock, &busy) != 0) return 0;
  return static_cast<double>(busy.tv_sec) + static_cast<double>(busy.tv_nsec) * 1e-9;
}

}  // namespace

void ThreadRole::enter() {
  Thread thread;
  thread.number = ::gettid();
  ::pthread_getcpuclockid(::pthread_self(), &thread.clock);
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& other) {
    return other.number == thread.number;
  });
  // If the clock is behind, this is a new thread with the number of one that has ended.
  if (known != threads_.end() && busy_of(thread.clock) >= known->before.busy) return;
  thread.before = times_of(thread);
  if (known == threads_.end()) {
    threads_.push_back(thread);
  } else {
    *known = thread;
  }
}

ThreadStatistics ThreadRole::times_of(const Thread& thread) {
  ThreadStatistics times{.threads = 1, .busy = busy_of(thread.clock)};
  // The file has nanoseconds on a processor, nanoseconds ready without one, and time slices.
  std::ifstream file("/proc/self/task/" + std::to_string(thread.number) + "/schedstat");
  double ran = 0;
  double waited = 0;
  if (file >> ran >> waited) times.waiting = waited * 1e-9;
  return times;
}

ThreadStatistics ThreadRole::read() const {
  const std::lock_guard lock(mutex_);
  ThreadStatistics sum{.threads = threads_.size()};
  for (const Thread& thread : threads_) {
    const ThreadStatistics now = times_of(thread);
    sum.busy += std::max(0.0, now.busy - thread.before.busy);
    sum.waiting += std::max(0.0, now.waiting - thread.before.waiting);
  }
  return sum;
}

double ThreadRole::busy() const {
  const std::lock_guard lock(mutex_);
  double sum = 0;
  for (const Thread& thread : threads_) sum += busy_of(thread.clock);
  return sum;
}

}  // namespace warpdex
