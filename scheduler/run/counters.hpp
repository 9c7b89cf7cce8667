// Counters of each thread, for the jobs that it ends. Their sums over all threads are the
// statistics. Internal.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "run/thread_number.hpp"
#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/statistics.hpp"

namespace warpdex {

/// A count that any thread may raise or read. Fast if few threads raise it.
class Count {
 public:
  void add(std::uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// Classes of times.
inline constexpr std::size_t kTimeClasses = 320;
using ClassCounts = std::array<std::uint64_t, kTimeClasses>;

/// Counts times by classes that are 7 % wide, from 100 ns to minutes.
class TimeCounts {
 public:
  void add(Micros time);
  /// Adds these counts, by class, to `classes`, and the sum of times, in microseconds, to `sum`.
  void add_to(ClassCounts& classes, double& sum) const;
  static TimeStatistics statistics(const ClassCounts& classes, double sum);

 private:
  std::array<Count, kTimeClasses> classes_;
  Count nanoseconds_;
};

/// A count that many threads raise. It has several parts; a thread mostly raises one of its own.
class SharedCount {
 public:
  void add(std::uint64_t more) { parts_[thread_number() % parts_.size()].count.add(more); }
  std::uint64_t value() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.count.value();
    return sum;
  }

 private:
  struct alignas(64) Part {
    Count count;
  };
  std::array<Part, 16> parts_;
};

/// A time in nanoseconds, as a Count takes it.
inline std::uint64_t nanoseconds(Micros time) {
  return time > 0 ? static_cast<std::uint64_t>(time * 1e3) : 0;
}

/// Sums of how predicted times compare with true ones, in thousandths.
class PredictionCounts {
 public:
  void add(float predicted, Micros took);
  void add_to(PredictionStatistics& sum) const;  ///< its means are sums until finish()
  static void finish(PredictionStatistics& sum);

 private:
  Count runs_;
  Count errors_;
  Count ratios_;
};

/// The counters of one thread, or of several that seldom count.
struct alignas(64) Counters {
  Count complete_on_cpu;
  Count complete_on_gpu;
  Count partial;
  Count refused;
  Count cancelled;
  Count failed;
  Count late;
  Count moved_to_cpu;
  Count stolen_by_cpu;
  Count batches;
  Count gpu_failures;
  // Nanoseconds of the stages in ProcessorTimes.
  Count cpu_queue;
  Count gpu_queue;
  Count cpu_runs;
  Count starts;
  Count ends;
  Count deliveries;
  TimeCounts waits;
  TimeCounts latencies;
  PredictionCounts cpu;
  PredictionCounts gpu;

  void count_end(const Job& job, JobEnd end);
};

/// Sums `count` counters up. Members that counters do not have keep their initial values.
SchedulerStatistics sum_of(const Counters* counters, std::size_t count);

}  // namespace warpdex
