// The processor time of threads that do the same, as the system counts it. Internal.
#pragma once

#include <oneapi/tbb/task_scheduler_observer.h>
#include <time.h>

#include <mutex>
#include <vector>

#include "warpdex/scheduler/statistics.hpp"

namespace warpdex {

/// Each thread enters itself, once or more; any thread reads the sum. A thread's time counts from
/// when it entered.
class ThreadRole {
 public:
  void enter();
  /// Of a thread that has ended, nothing. Takes microseconds for each thread.
  ThreadStatistics read() const;
  /// Processor time of all that entered and have not ended, in seconds. Takes less.
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
  /// The arena is initialized, and outlives this, as `role` does.
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
