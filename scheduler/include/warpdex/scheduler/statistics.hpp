// Statistics of a scheduler, for its operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpdex {

/// The source of predicted costs, before runs correct them.
enum class CostOrigin : std::uint8_t {
  kRough,       ///< rough figures of common machines
  kCalibrated,  ///< measured on this index as it is
  kOlder        ///< measured on this index before later commits changed it
};

/// "rough", "calibrated" or "older".
std::string_view cost_origin_name(CostOrigin origin);

/// How predicted times compare with true ones.
struct PredictionStatistics {
  std::uint64_t runs = 0;
  double mean_relative_error = 0;  ///< mean of |predicted - true| / true
  double mean_ratio = 0;           ///< mean of predicted / true
};

/// Times in microseconds; percentiles are exact to 7 %.
struct TimeStatistics {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;  ///< exact to 7 %, too
};

/// Times of a group of threads, as the system counts them, in seconds.
struct ThreadStatistics {
  std::size_t threads = 0;
  double busy = 0;     ///< processor time, user and system, spinning included
  double waiting = 0;  ///< ready to run, without a processor; 0 where the system does not say
};

/// Where the processors' time goes. Times are in seconds, summed over threads.
struct ProcessorTimes {
  ThreadStatistics cpu_threads;
  ThreadStatistics gpu_thread;  ///< starts batches and looks for their ends
  ThreadStatistics builders;    ///< of TBB, from when they first helped to build a batch
  ThreadStatistics deliverers;
  double cpu_queue = 0;   ///< at the CPU's queue, which one thread uses at a time
  double gpu_queue = 0;   ///< at the GPU's queue, likewise
  double cpu_runs = 0;    ///< runs of jobs on CPU threads
  double starts = 0;      ///< of batches, on the GPU's thread, from the queues on
  double ends = 0;        ///< of batches, on the GPU's thread, without deliveries
  double deliveries = 0;  ///< of their answers, on the GPU's thread and on deliverers
};

/// Sums since construction; the lengths of queues are those of now.
struct SchedulerStatistics {
  std::uint64_t submitted = 0;
  // How jobs ended. Their sum is the number of jobs that have ended.
  std::uint64_t complete_on_cpu = 0;
  std::uint64_t complete_on_gpu = 0;
  std::uint64_t partial = 0;
  std::uint64_t refused = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t failed = 0;
  std::uint64_t late = 0;  ///< complete or partial, after their deadline

  std::uint64_t moved_to_cpu = 0;   ///< jobs that the GPU could not answer, or failed to
  std::uint64_t stolen_by_cpu = 0;  ///< jobs from the GPU's queue
  std::uint64_t batches = 0;
  std::uint64_t gpu_failures = 0;  ///< batches that the GPU failed to answer
  bool gpu_is_given_up = false;    ///< three failures in a row: it gets no more work

  // Jobs in the queues now.
  std::size_t prefers_gpu = 0;  ///< in the GPU's queue
  std::size_t prefers_cpu = 0;  ///< in the CPU's queue
  std::size_t huge = 0;         ///< in the queue of huge jobs
  std::size_t under_way = 0;    ///< submitted and not ended

  // Of jobs that ended with an answer, complete or partial:
  TimeStatistics waits;      ///< from submit() to the last run
  TimeStatistics latencies;  ///< from submit() to the end

  PredictionStatistics cpu;  ///< of complete runs on the CPU
  PredictionStatistics gpu;  ///< of batches that ran alone on the GPU
  ProcessorTimes processors;
  /// For text queries. kOlder: `warpdex calibrate` would make the first predictions better.
  CostOrigin costs = CostOrigin::kRough;
};

}  // namespace warpdex
