// The processor time of a group of threads, as the system counts it. Internal.
#pragma once

#include <oneapi/tbb/task_scheduler_observer.h>
#include <time.h>

#include <mutex>
#include <vector>

#include "warpdex/scheduler/statistics.hpp"

namespace warpdex {

/// A group of threads that do the same work. Each thread enters itself, once or more; any thread
/// reads the sums. A thread's time counts from its first entry.
class ThreadRole {
 public:
  void enter();
  /// Sums over the threads. Those that have ended count with no time. Takes microseconds for each
  /// thread.
  ThreadStatistics read() const;
  /// The processor time of the threads that have not ended, in seconds, since each was started.
  /// Faster than read().
  double busy() const;

 private:
  struct Thread {
    int number = 0;  ///< the system's
    clockid_t clock{};
    ThreadStatistics before;
  };
  static ThreadStatistics times_of(const Thread& thread);

  mutable std::mutex mutex_;  ///< protects `threads_`
  std::vector<Thread> threads_;
};

/// Enters the threads that TBB sends to an arena. What they do elsewhere later counts, too.
class ArenaRole final : public tbb::task_scheduler_observer {
 public:
  /// The arena must be initialized. It and `role` must outlive this.
  ArenaRole(tbb::task_arena& arena, ThreadRole& role)
      : tbb::task_scheduler_observer(arena), role_(role) {
    observe(true);
  }
  ~ArenaRole() override { observe(false); }
  ArenaRole(const ArenaRole&) = delete;
  ArenaRole& operator=(const ArenaRole&) = delete;

  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) role_.enter();
  }

 private:
  ThreadRole& role_;
};

}  // namespace warpdex
