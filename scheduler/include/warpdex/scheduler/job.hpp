// A job of the scheduler, and the class of work that it belongs to. Text queries are one class;
// vector and hybrid queries are others, with a cost of their own, behind the same interface.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>

#include "warpdex/query/cpu/search_watch.hpp"

namespace warpdex {

/// A length of time in microseconds, or a moment: microseconds since a fixed start.
using Micros = double;
/// Later than every time.
inline constexpr Micros kNever = std::numeric_limits<double>::infinity();

/// Where a job runs.
enum class Processor : std::uint8_t { kCpu, kGpu };

/// What the scheduler does with a job for which it has no room, or which would miss its deadline.
enum class OverloadPolicy : std::uint8_t {
  kWait,     ///< submit() waits for room; the job is answered in full, late if need be
  kRefuse,   ///< the job ends at once with JobEnd::kRefused
  kPartial,  ///< a run on the CPU ends by the deadline, with the best answer so far and a
             ///< certificate
};

/// How a job ended. Each job ends once, in one of these ways.
enum class JobEnd : std::uint8_t {
  kComplete,   ///< the answer is the engines'
  kPartial,    ///< the best so far; a certificate says what a missing document scores at most
  kRefused,    ///< there was no room or no time for it; there is no answer
  kCancelled,  ///< by cancel() or the scheduler's end; there is no answer
  kFailed,     ///< Job::failure says why
};

/// The predicted costs of a job, in microseconds.
struct JobCost {
  float cpu = 0;         ///< on one CPU thread, the others being busy
  float gpu_alone = 0;   ///< on the GPU as a batch of its own
  float gpu_share = 0;   ///< what it adds to the time of a large batch
  bool gpu_can = false;  ///< whether the GPU can answer it; false if its class has no GpuWorker
  float gpu_base = 0;    ///< the time of a batch beside the shares of its jobs
  float idle_share = 1;  ///< the part of `cpu` that it takes while the other CPU threads are idle

  /// The cost on one CPU thread while this part of the others, 0 to 1, is busy.
  float cpu_at(float load) const { return cpu * (idle_share + load * (1 - idle_share)); }
};

/// A caller's wishes for one job.
struct JobOptions {
  /// The time that the job may take from submit() on. The default means no deadline.
  std::chrono::microseconds deadline = std::chrono::microseconds::max();
  OverloadPolicy overload = OverloadPolicy::kWait;
  std::uint32_t client = 0;  ///< index into SchedulerSettings::client_weights

  bool has_deadline() const { return deadline != std::chrono::microseconds::max(); }
};

class WorkClass;

/// One query of any class of work. Each class of work derives a type from it, with the query and
/// its answer. A job must live from JobScheduler::submit() until finish() was called.
class Job {
 public:
  explicit Job(WorkClass& work) : work_class(&work) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Delivers the answer. Called once for each submit(), on any thread; should take a few
  /// microseconds at most. The scheduler does not touch the job afterwards, unless it is submitted
  /// again.
  virtual void finish(JobEnd end) noexcept = 0;

  WorkClass* work_class;
  JobOptions options;

  // Set by the scheduler, for finish() to read.
  JobCost cost;                           ///< as predicted when it came
  Micros arrival = 0;                     ///< when submit() was called
  Micros deadline = kNever;               ///< when it should have ended
  Micros start = 0;                       ///< when its last run began
  Micros end = 0;                         ///< when it ended
  Processor processor = Processor::kCpu;  ///< of its last run
  float cpu_load = 0;                     ///< part of the CPU threads, 0 to 1, that was busy then
  std::uint32_t moves = 0;                ///< how often it moved to the other processor
  std::exception_ptr failure;             ///< for JobEnd::kFailed: why

  // Only for the scheduler's own use.
  bool is_limited = false;  ///< it gets one short run on the CPU, and ends with what that finds
  enum class State : std::uint8_t { kIdle, kComing, kQueued, kRunning };
  /// Its place in the queues. Jobs are ordered by slot, then length, then number.
  struct Place {
    std::uint8_t lane = 0;     ///< the queue: Lane
    std::int64_t slot = 0;     ///< of the deadline
    float length = 0;          ///< predicted microseconds
    std::uint64_t number = 0;  ///< of its arrival in the lane
  };
  Place place;
  Job* next = nullptr;  ///< in the inbox
  std::atomic<State> state = State::kIdle;
  std::atomic<std::uint64_t> generation = 0;                 ///< how often it has ended
  std::atomic<std::uint64_t> cancelled = ~std::uint64_t{0};  ///< the generation to be cancelled
};

/// Runs the jobs of one class on one CPU thread.
class CpuWorker {
 public:
  virtual ~CpuWorker() = default;
  /// Runs the job until it is done, or until `watch` stops it. Returns whether it is done. If not,
  /// the job holds its best answer so far with a certificate. It must ask the watch every few tens
  /// of microseconds; a class that cannot must never predict less than 50 microseconds for a job.
  /// If it throws, the job fails.
  virtual bool run(Job& job, SearchWatch& watch) = 0;
};

/// Runs batches of jobs of one class on a GPU. Used by one thread, except deliver() after take().
/// If one of its functions throws, the CPU answers the jobs of the batch that are not delivered.
class GpuWorker {
 public:
  virtual ~GpuWorker() = default;
  /// How many batches it has room for, 1 or more; each takes room from start() to release(). Not
  /// all of it may be for huge jobs.
  virtual std::size_t max_batches() const = 0;
  /// Whether a slot, below max_batches(), is kept for huge jobs.
  virtual bool is_for_huge(std::size_t slot) const { return (void)slot, false; }
  /// Starts a batch; `slot` is below max_batches() and free.
  virtual void start(std::size_t slot, std::span<Job* const> jobs) = 0;
  /// Whether the batch is done. Does what the host can do for it now.
  virtual bool poll(std::size_t slot) = 0;
  /// The places of jobs whose answers are there though the batch is not done. deliver() must return
  /// true for them. Called after a poll() that returned false. A later call for the batch returns
  /// the same places first, and maybe more behind them, or none.
  virtual std::span<const std::uint32_t> early(std::size_t slot) {
    return (void)slot, std::span<const std::uint32_t>();
  }
  /// Takes the answers of a batch that is done.
  virtual void take(std::size_t slot) = 0;
  /// Gives the job at `place` of the batch its answer; false if the GPU could not answer it. Called
  /// once for each place: before take() by the worker's thread, afterwards for different places
  /// from several threads at once.
  virtual bool deliver(std::size_t slot, std::size_t place, Job& job) = 0;
  /// The batch's answers are no longer needed.
  virtual void release(std::size_t slot) noexcept = 0;
  /// The batch failed: restores its jobs to their state before start(). Those that were delivered
  /// are null.
  virtual void give_back(std::size_t slot, std::span<Job* const> jobs) noexcept = 0;
};

/// A kind of work: predicts costs and makes the workers. Must outlive the scheduler.
class WorkClass {
 public:
  virtual ~WorkClass() = default;
  /// The predicted cost. Called for every job, on any thread: should take a microsecond at most.
  virtual JobCost estimate(const Job& job) const = 0;
  /// A worker for one thread. Called for each CPU thread, before any job runs.
  virtual std::unique_ptr<CpuWorker> make_cpu_worker() = 0;
  /// Null: the class does not run on a GPU. Called once for a scheduler.
  virtual std::unique_ptr<GpuWorker> make_gpu_worker() { return nullptr; }
  /// Makes the job's answer empty, with a certificate that holds. On any thread. If it throws, the
  /// job fails.
  virtual void answer_nothing(Job& job) const = 0;
  /// Learns from a run on the CPU that was complete and took `took` microseconds. Job::cpu_load
  /// says how busy the CPU was. Must not throw.
  virtual void learn_cpu(const Job& job, float took) { (void)job, (void)took; }
  /// Learns from a batch of `jobs` jobs, of which `job` is one: its predicted time, and the time
  /// that it took, in microseconds. Must not throw.
  virtual void learn_gpu(const Job& job, std::size_t jobs, float predicted, float took) {
    (void)job, (void)jobs, (void)predicted, (void)took;
  }
};

}  // namespace warpdex
