// Counts jobs and the sum of their predicted times; several threads may write. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// A number of jobs and the sum of their predicted times.
struct Work {
  std::size_t jobs = 0;
  std::int64_t nanoseconds = 0;

  /// Adds a job of `work` microseconds.
  void add(float work) {
    constexpr double kPerMicro = 1e3;
    constexpr float kLongest = 1e11F;  // a day; also taken for a NaN
    ++jobs;
    nanoseconds +=
        static_cast<std::int64_t>(static_cast<double>(std::min(kLongest, work)) * kPerMicro);
  }
};

/// Work is rounded to nanoseconds when it is added and when it is removed, so sums stay exact. A
/// reader may see a job without its work.
class WorkCount {
 public:
  void add(const Work& more) {
    jobs_.fetch_add(more.jobs, std::memory_order_relaxed);
    nanoseconds_.fetch_add(more.nanoseconds, std::memory_order_relaxed);
  }
  void remove(const Work& less) {
    jobs_.fetch_sub(less.jobs, std::memory_order_relaxed);
    nanoseconds_.fetch_sub(less.nanoseconds, std::memory_order_relaxed);
  }
  void add(float work) { add(of(work)); }
  void remove(float work) { remove(of(work)); }

  std::size_t jobs() const { return jobs_.load(std::memory_order_relaxed); }
  Micros work() const {
    return static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) * 1e-3;
  }

 private:
  static Work of(float work) {
    Work one;
    one.add(work);
    return one;
  }

  std::atomic<std::size_t> jobs_ = 0;
  std::atomic<std::int64_t> nanoseconds_ = 0;
};

}  // namespace warpdex
