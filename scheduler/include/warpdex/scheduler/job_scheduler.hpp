// Runs jobs of any class on CPU threads and a GPU, each where it is served best under the present
// load.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/placement.hpp"
#include "warpdex/scheduler/statistics.hpp"

namespace warpdex {

struct SchedulerSettings {
  PlacementSettings placement;
  /// CPU threads that run jobs. 0: the processors that this process may use; with a GPU, less three
  /// eighths of them (two at least), which the GPU's threads and callers need; in any case one or
  /// more. With a GPU, fewer threads are awake while other threads of the process need their cores.
  std::size_t cpu_threads = 0;
  /// Jobs that may be under way (submitted, not ended). For further ones, their OverloadPolicy
  /// decides. A client that has fewer than its share of these is let in nevertheless, so at most
  /// twice as many, and one for each client, are ever under way. 1 or more.
  std::size_t capacity = 10'000;
  /// Idle threads that stay awake to take the next job at once: waking a thread takes some 50 us.
  /// They spin only while a processor is left for them, beside the threads that are awake and a
  /// caller. A thread whose run is predicted to take less than 50 us counts as a lookout. If ten
  /// jobs or more arrive in 50 us, lookouts sleep for that long before they spin. 0: one for each
  /// eight CPU threads, and at least one.
  std::size_t lookouts = 0;
  /// How long a lookout stays awake after its last job. 0 or more.
  std::chrono::microseconds spin{20'000};
  /// The longest run of a job that is predicted to miss its deadline, with
  /// OverloadPolicy::kPartial. Above 0. With that policy no run on the CPU goes on past the
  /// deadline, and none starts after it. A batch on the GPU is not stopped, so its answers may be
  /// late.
  std::chrono::microseconds limited_run{200};

  /// Throws UsageError for a value that is out of its range.
  void validate() const;
};

/// Takes jobs from any number of threads. Allocates nothing for a job once its queues have reached
/// their largest size. Its own cost is about a microsecond of CPU time a job.
class JobScheduler {
 public:
  /// Starts the threads. The classes must outlive the scheduler; those of all jobs must be among
  /// them. Throws UsageError for settings out of range, std::system_error if a thread cannot be
  /// started, and what making the workers throws.
  JobScheduler(std::span<WorkClass* const> classes, const SchedulerSettings& settings = {});
  /// Cancels what is queued; waits for what is running.
  ~JobScheduler();
  JobScheduler(const JobScheduler&) = delete;
  JobScheduler& operator=(const JobScheduler&) = delete;

  /// Takes a job; Job::finish() is called when it has ended. With OverloadPolicy::kWait, submit()
  /// may wait for room; with the others, finish() may be called before submit() returns. Throws
  /// UsageError for an unknown client, and what WorkClass::estimate() throws.
  void submit(Job& job);

  /// Cancels a job: at once if it is queued, as soon as it can be stopped if it runs. A run that
  /// ends first still delivers its answer. `generation` is Job::generation when it was submitted;
  /// if the job has ended since, nothing happens. The job must still exist. Returns whether the job
  /// had not ended. O(log jobs) amortised.
  bool cancel(Job& job, std::uint64_t generation);

  /// Cancels all jobs that are queued; those that run go on. O(jobs).
  void cancel_queued();

  /// O(threads).
  SchedulerStatistics statistics() const;
  std::size_t cpu_threads() const;
  /// Microseconds since construction, as the times of jobs are.
  Micros now() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
