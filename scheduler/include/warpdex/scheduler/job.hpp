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

/// Time as the scheduler counts it: microseconds since some moment.
using Micros = double;
/// Later than every time.
inline constexpr Micros kNever = std::numeric_limits<double>::infinity();

/// Where a job runs.
enum class Processor : std::uint8_t { kCpu, kGpu };

/// What becomes of a job for which the scheduler has no room, or which would miss its deadline.
enum class OverloadPolicy : std::uint8_t {
  kWait,     ///< submit() waits for room; the job is answered in full, late if need be
  kRefuse,   ///< the job ends at once with JobEnd::kRefused
  kPartial,  ///< the job ends by its deadline with the best answer so far and a certificate
};

/// How a job ended. Each job ends once, in one of these ways.
enum class JobEnd : std::uint8_t {
  kComplete,   ///< the answer is the engines'
  kPartial,    ///< the best so far; a certificate says what a missing document scores at most
  kRefused,    ///< there was no room or no time for it; there is no answer
  kCancelled,  ///< by cancel() or the scheduler's end; there is no answer
  kFailed,     ///< Job::failure says why
};

/// What a job costs, predicted, in microseconds.
struct JobCost {
  float cpu = 0;         ///< on one CPU thread, the others being busy
  float gpu_alone = 0;   ///< on the GPU as a batch of its own
  float gpu_share = 0;   ///< what it adds to the time of a large batch
  bool gpu_can = false;  ///< whether the GPU can answer it
  float gpu_base = 0;    ///< what a batch takes beside the shares of its jobs
  float idle_share = 1;  ///< of `cpu`: what it takes while the other CPU threads are idle

  /// On one CPU thread while this part of the others is busy.
  float cpu_at(float load) const { return cpu * (idle_share + load * (1 - idle_share)); }
};

/// What a caller asks of one job.
struct JobOptions {
  /// Time that the job may take from submit() on; none: no deadline.
  std::chrono::microseconds deadline = std::chrono::microseconds::max();
  OverloadPolicy overload = OverloadPolicy::kWait;
  std::uint32_t client = 0;  ///< index into SchedulerSettings::client_weights

  bool has_deadline() const { return deadline != std::chrono::microseconds::max(); }
};

class WorkClass;

/// One query of any class. Its class derives from it and adds what is asked and what was found.
/// Lives from JobScheduler::submit() until finish() was called.
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

  // What the scheduler says of the job; for finish() to read.
  JobCost cost;                           ///< as predicted when it came
  Micros arrival = 0;                     ///< when submit() was called
  Micros deadline = kNever;               ///< when it should have ended
  Micros start = 0;                       ///< when its last run began
  Micros end = 0;                         ///< when it ended
  Processor processor = Processor::kCpu;  ///< of its last run
  float cpu_load = 0;                     ///< part of the CPU threads that were busy then
  std::uint32_t moves = 0;                ///< times that it went on to another processor
  std::exception_ptr failure;             ///< of JobEnd::kFailed

  // The scheduler's own.
  bool left_cpu = false;    ///< took longer than predicted there, and goes on on the GPU
  bool is_limited = false;  ///< gets a short run on the CPU only, whatever comes of it
  enum class State : std::uint8_t { kIdle, kComing, kQueued, kRunning };
  struct Place {
    std::uint8_t lane = 0;     ///< which queue
    std::int64_t slot = 0;     ///< order: by this,
    float length = 0;          ///< then by this,
    std::uint64_t number = 0;  ///< then by this
  };
  Place place;
  Job* next = nullptr;  ///< in the inbox
  std::atomic<State> state = State::kIdle;
  std::atomic<std::uint64_t> generation = 0;                 ///< how many times it has ended
  std::atomic<std::uint64_t> cancelled = ~std::uint64_t{0};  ///< the generation to be cancelled
};

/// Runs the jobs of one class on one CPU thread.
class CpuWorker {
 public:
  virtual ~CpuWorker() = default;
  /// Runs the job until it is done, or until `watch` stops it. Returns whether it is done; if not,
  /// the job holds its best answer so far with a certificate, and may run again, here or on the
  /// GPU. Asks the watch every few tens of microseconds; a class that cannot does not predict that
  /// a job takes less than 50. What it throws makes the job fail.
  virtual bool run(Job& job, SearchWatch& watch) = 0;
};

/// Runs batches of jobs of one class on a GPU. Used by one thread, but for deliver(). What its
/// functions throw leaves the batch to the CPU.
class GpuWorker {
 public:
  virtual ~GpuWorker() = default;
  /// Batches that it has room for, from start() to release().
  virtual std::size_t max_batches() const = 0;
  /// Whether a slot, below max_batches(), is kept for huge jobs.
  virtual bool is_for_huge(std::size_t slot) const { return (void)slot, false; }
  /// Starts on a batch; `slot` is below max_batches() and free.
  virtual void start(std::size_t slot, std::span<Job* const> jobs) = 0;
  /// Whether the batch is done. Does what the host can do for it now.
  virtual bool poll(std::size_t slot) = 0;
  /// Takes the answers of a batch that is done.
  virtual void take(std::size_t slot) = 0;
  /// Gives a job its answer, for the place in its batch; false if the GPU could not answer it.
  /// After take(); for different places from several threads at once.
  virtual bool deliver(std::size_t slot, std::size_t place, Job& job) = 0;
  /// The batch's answers are no longer needed.
  virtual void release(std::size_t slot) noexcept = 0;
  /// The batch failed: makes its jobs what they were before start().
  virtual void give_back(std::size_t slot, std::span<Job* const> jobs) noexcept = 0;
};

/// A kind of work: what it costs, and who does it. Outlives the scheduler.
class WorkClass {
 public:
  virtual ~WorkClass() = default;
  /// The predicted cost. On any thread, for every job: takes a microsecond at most.
  virtual JobCost estimate(const Job& job) const = 0;
  /// For one thread. Called for each CPU thread, before any job runs.
  virtual std::unique_ptr<CpuWorker> make_cpu_worker() = 0;
  /// Null: the class has no GPU. Called once for a scheduler.
  virtual std::unique_ptr<GpuWorker> make_gpu_worker() { return nullptr; }
  /// Makes the job's answer an empty one with a true certificate. On any thread.
  virtual void answer_nothing(Job& job) const = 0;
  /// Learns from a run on the CPU that was complete and took so many microseconds. Job::cpu_load
  /// says how busy the CPU was.
  virtual void learn_cpu(const Job& job, float took) { (void)job, (void)took; }
  /// Learns from a batch: what it was predicted to take, and what it took.
  virtual void learn_gpu(std::span<Job* const> jobs, float predicted, float took) {
    (void)jobs, (void)predicted, (void)took;
  }
};

}  // namespace warpdex
