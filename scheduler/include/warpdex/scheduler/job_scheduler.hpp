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
  /// CPU threads that run jobs; 0: as many as this process may run on, less three eighths of these
  /// (two at least) for the GPU's threads and callers if there is a GPU. 1 or more. With a GPU,
  /// fewer of them are awake while other threads of the process need their cores.
  std::size_t cpu_threads = 0;
  /// Jobs that may be under way (submitted, not ended). For further ones, their OverloadPolicy
  /// decides. A client that has fewer than its share of these is let in nevertheless, so at most
  /// twice as many are ever under way.
  std::size_t capacity = 10'000;
  /// Idle threads that stay awake to take the next job at once, each for `spin` after its last job;
  /// waking a thread takes some 50 us. They spin only while a processor is left for them, beside
  /// the threads that are awake and a caller. A thread with a run of less than 50 us counts as one;
  /// where jobs come every 5 us and more often, lookouts nap. 0 lookouts: one for each eight CPU
  /// threads, at least one.
  std::size_t lookouts = 0;
  std::chrono::microseconds spin{20'000};
  /// Lets a CPU run that takes `outrun` times as long as the longer of its predictions, of the CPU
  /// and of the GPU, continue on the GPU, if that is predicted to be done sooner than the run has
  /// taken so far.
  bool moves = true;
  float outrun = 2;
  /// The longest run of a job that is predicted to miss its deadline, with
  /// OverloadPolicy::kPartial. Then no run goes on past the deadline, and none starts after it.
  std::chrono::microseconds limited_run{200};
};

/// Takes jobs from any number of threads. Allocates nothing for a job once its queues have reached
/// their largest size. Its own cost is about a microsecond of CPU time a job.
class JobScheduler {
 public:
  /// Starts the threads. The classes must outlive the scheduler; those of all jobs must be among
  /// them. Throws UsageError for settings out of range, and what making the workers throws.
  JobScheduler(std::span<WorkClass* const> classes, const SchedulerSettings& settings = {});
  /// Cancels what is queued; waits for what is running.
  ~JobScheduler();
  JobScheduler(const JobScheduler&) = delete;
  JobScheduler& operator=(const JobScheduler&) = delete;

  /// Takes a job; Job::finish() is called when it has ended. With OverloadPolicy::kWait, submit()
  /// may wait for room; with the others, finish() may be called before submit() returns. Throws
  /// UsageError for an unknown client.
  void submit(Job& job);

  /// Cancels a job: at once if it is queued, as soon as it can be stopped if it runs. `generation`
  /// is Job::generation when it was submitted; if the job has ended since, nothing happens. Returns
  /// whether the job had not ended. O(log jobs) amortised.
  bool cancel(Job& job, std::uint64_t generation);

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
