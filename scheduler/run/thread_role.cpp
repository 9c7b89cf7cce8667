// Reads the clocks of threads, and what Linux knows of their waits.
#include "run/thread_role.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace warpdex {

void ThreadRole::enter() {
  Thread thread;
  thread.number = ::gettid();
  ::pthread_getcpuclockid(::pthread_self(), &thread.clock);
  thread.before = times_of(thread);
  const std::lock_guard lock(mutex_);
  const auto is_same = [&](const Thread& other) { return other.number == thread.number; };
  if (std::none_of(threads_.begin(), threads_.end(), is_same)) threads_.push_back(thread);
}

ThreadStatistics ThreadRole::times_of(const Thread& thread) {
  ThreadStatistics times{.threads = 1};
  timespec busy{};
  if (::clock_gettime(thread.clock, &busy) == 0) {
    times.busy = static_cast<double>(busy.tv_sec) + static_cast<double>(busy.tv_nsec) * 1e-9;
  }
  // Nanoseconds with a processor, nanoseconds ready without one, time slices.
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

}  // namespace warpdex
