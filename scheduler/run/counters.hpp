// What a thread counts of the jobs that it ends; sums of all threads make the statistics. Internal.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "run/thread_number.hpp"
#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/statistics.hpp"

namespace warpdex {

/// A count that one thread raises at a time and any thread reads.
class Count {
 public:
  void add(std::uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// Counts times by classes that are 7 % wide, from 100 ns to minutes.
class TimeCounts {
 public:
  void add(Micros time);
  /// Adds these to a sum.
  void add_to(std::array<std::uint64_t, 320>& classes, double& sum) const;
  static TimeStatistics statistics(const std::array<std::uint64_t, 320>& classes, double sum);

 private:
  std::array<Count, 320> classes_;
  Count nanoseconds_;
};

/// A count that many threads raise: each mostly a part of its own.
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

/// Microseconds, as a Count of nanoseconds takes them.
inline std::uint64_t nanoseconds(Micros time) {
  return time > 0 ? static_cast<std::uint64_t>(time * 1e3) : 0;
}

/// How predictions compared, in thousandths.
class PredictionCounts {
 public:
  void add(float predicted, Micros took);
  void add_to(PredictionStatistics& sum) const;  ///< sums of errors, until finish()
  static void finish(PredictionStatistics& sum);

 private:
  Count runs_;
  Count errors_;
  Count ratios_;
};

/// Of one thread, or of few that seldom count.
struct alignas(64) Counters {
  Count complete_on_cpu;
  Count complete_on_gpu;
  Count partial;
  Count refused;
  Count cancelled;
  Count failed;
  Count late;
  Count moved_to_gpu;
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

/// Adds up. What counters do not say is left as it is.
SchedulerStatistics sum_of(const Counters* counters, std::size_t count);

}  // namespace warpdex
