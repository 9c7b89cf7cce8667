// The state that the scheduler's threads share. Internal.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "queues/job_queues.hpp"
#include "run/arrival_rate.hpp"
#include "run/counters.hpp"
#include "run/free_processors.hpp"
#include "run/idle_threads.hpp"
#include "run/inbox.hpp"
#include "run/short_run.hpp"
#include "run/thread_role.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/scheduler/job_scheduler.hpp"

namespace warpdex {

/// Room for a batch on the GPU. The GPU's thread fills and starts it. This thread or those that
/// deliver empty it.
struct GpuSlot {
  GpuWorker* worker = nullptr;
  std::size_t number = 0;  ///< the worker's number of the slot
  bool is_for_huge = false;
  std::vector<Job*> jobs;     ///< null where a job was delivered before the batch's end
  std::size_t delivered = 0;  ///< how many were
  float predicted = 0;        ///< microseconds that the batch takes alone
  BatchClaim claim;
  Micros start = 0;
  bool is_running = false;                   ///< used by the GPU's thread only
  bool is_alone = false;                     ///< no other batch has been under way beside it
  std::atomic<std::size_t> undelivered = 0;  ///< slices of the batch that are not yet delivered
  std::atomic<bool> is_free = true;
};

/// Jobs of a batch whose answers one thread delivers.
struct BatchSlice {
  GpuSlot* slot = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The inbox and the lock of one processor's queue. Callers choose the processor by the counted
/// loads, without a lock, and put their jobs into its inbox. A thread that takes a Turn moves them
/// into the queue. `mutex` protects the processor's part of JobQueues. A thread that takes both
/// locks takes the GPU's first.
struct QueueSide {
  Inbox inbox;
  alignas(64) std::mutex mutex;
  // Jobs in the queue, as the last turn left it. Lookouts read it again and again, so it has its
  // own cache line.
  alignas(64) std::atomic<std::size_t> queued = 0;
  std::atomic<std::uint64_t> arrived = 0;  ///< jobs that were put into the queue

  bool has_jobs() const { return !inbox.empty() || queued.load(std::memory_order_seq_cst) > 0; }
};

struct JobScheduler::State {
  State(std::span<WorkClass* const> wanted_classes, const SchedulerSettings& wanted);
  ~State();

  // job_scheduler.cpp
  void start_threads(std::size_t builder_count);
  void end_threads();
  void cancel_queued();
  void submit(Job& job);
  void end(Job& job, JobEnd how, Counters& counters) noexcept;
  void tell(Job& job, JobEnd how, Counters& counters) noexcept;
  void bring(Job& job);
  bool let_in(Job& job);
  bool let_in_with_deadline(Job& job);
  std::size_t class_number(const WorkClass* work_class) const;
  JobEnd answer_nothing(Job& job);
  bool take_room(std::uint32_t client);
  void wait_for_room(std::uint32_t client);
  void leave(std::uint32_t client);
  Micros now() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - epoch)
        .count();
  }

  // cpu_side.cpp
  void run_cpu_thread(std::size_t thread);
  void run_on_cpu(Job& job, std::size_t thread, ShortRun& run);
  Job* steal_for_cpu(std::size_t thread);
  void leave_processors();
  std::size_t awake_cpu_threads() const {
    return cpu_thread_count - std::min(cpu_thread_count, idle_cpu->sleepers());
  }
  void wake_for(Micros cpu_work);  // turn.cpp
  /// Whether a processor is left for a thread that spins, beside the threads that are awake and one
  /// caller. If not, a thread that spins would take the processor of one that has work.
  bool may_spin() const {
    const std::size_t awake = awake_cpu_threads() + (has_gpu && idle_gpu.sleepers() == 0 ? 1 : 0);
    return awake + awake_deliverers.load(std::memory_order_relaxed) < processors;
  }
  bool has_cpu_work(std::uint32_t& looks) const;

  // gpu_side.cpp
  void run_gpu_thread();
  bool start_batch();
  void start(GpuSlot& slot);
  bool poll_batches();
  GpuSlot* free_slot(std::size_t class_number, bool is_for_huge) const;
  bool has_free_slots() const;
  bool is_gpu_idle() const;
  void drop_late(std::vector<Job*>& jobs);
  void finish_batch(GpuSlot& slot);
  void learn(const GpuSlot& slot, float took);
  void fail_batch(GpuSlot& slot) noexcept;
  void back_to_cpu(Job& job);

  // delivery.cpp
  bool is_soon_delivered(const GpuSlot& slot) const;
  void deliver_early(GpuSlot& slot);
  void hand_over(GpuSlot& slot);
  Micros deliver(const BatchSlice& slice, Counters& counters) noexcept;
  void learn_delivery(std::size_t jobs, Micros took, Counters& counters) noexcept;
  void deliver_job(GpuSlot& slot, std::size_t place, Counters& counters) noexcept;
  bool take_slice(BatchSlice& slice);
  void run_delivery_thread(std::size_t number);
  void end_delivery();

  const SchedulerSettings settings;
  const std::vector<WorkClass*> classes;
  const std::chrono::steady_clock::time_point epoch = std::chrono::steady_clock::now();
  const std::size_t processors = default_threads();
  std::size_t cpu_thread_count = 1;
  double weight_sum = 0;
  bool has_gpu = false;
  std::vector<std::vector<std::unique_ptr<CpuWorker>>> cpu_workers;  ///< by thread and class
  std::vector<std::unique_ptr<GpuWorker>> gpu_workers;               ///< by class; some are null
  std::vector<std::unique_ptr<GpuSlot>> slots;

  std::unique_ptr<JobQueues> queues;
  QueueSide cpu_side;
  QueueSide gpu_side;
  /// Jobs that were put into the queues.
  std::uint64_t arrived() const {
    return cpu_side.arrived.load(std::memory_order_relaxed) +
           gpu_side.arrived.load(std::memory_order_relaxed);
  }
  std::atomic<Micros> next_batch = kNever;  ///< as the last turn at the GPU's queue left it

  alignas(64) std::unique_ptr<IdleThreads> idle_cpu;
  IdleThreads idle_gpu{1, 1};
  std::optional<FreeProcessors> free_processors;
  ThreadRole cpu_role;
  ThreadRole gpu_role;
  ThreadRole deliverer_role;
  ThreadRole builder_role;
  tbb::task_arena builders;  ///< of large batches
  std::optional<ArenaRole> builder_entries;
  std::size_t deliverer_count = 0;
  std::atomic<bool> is_ending = false;
  std::atomic<bool> gpu_is_given_up = false;
  // Used by the GPU's thread only:
  std::vector<Job*> next_jobs;  ///< of a batch to be started
  std::vector<GpuSlot*> done;   ///< batches that this thread delivers itself
  std::size_t failures_in_a_row = 0;
  Micros last_batch_end = 0;

  SharedCount submitted;
  alignas(64) std::atomic<std::size_t> under_way = 0;        // every caller writes it
  std::unique_ptr<std::atomic<std::size_t>[]> under_way_of;  ///< by client
  alignas(64) std::atomic<std::size_t> room_waiters = 0;
  std::mutex room_mutex;
  std::condition_variable room_changed;

  std::mutex delivery_mutex;  ///< protects `slices` and `delivery_ends`
  std::condition_variable delivery_changed;
  std::deque<BatchSlice> slices;
  bool delivery_ends = false;
  std::atomic<std::size_t> awake_deliverers = 0;
  std::atomic<float> delivery_time = 1;  ///< microseconds for a job, as the last ones took

  /// One for each CPU thread, then the GPU's thread's, the callers', and one for each deliverer.
  std::unique_ptr<Counters[]> counters;
  Counters& gpu_counters() const { return counters[cpu_thread_count]; }
  Counters& caller_counters() const { return counters[cpu_thread_count + 1]; }
  Counters& delivery_counters(std::size_t number) const {
    return counters[cpu_thread_count + 2 + number];
  }
  std::size_t counter_count() const { return cpu_thread_count + 2 + deliverer_count; }

  std::vector<std::jthread> cpu_threads;
  std::vector<std::jthread> delivery_threads;
  std::jthread gpu_thread;
};

/// A thread's turn at the queue of one processor, or of both. It takes the inbox, then the lock,
/// and moves the jobs into the queue. At its end it publishes the queue's length and releases the
/// lock. Jobs that were cancelled while they were in the inbox end after that. During a turn, no
/// function of a job's class is called.
class Turn {
 public:
  enum class At : std::uint8_t { kCpu, kGpu, kBoth };

  Turn(JobScheduler::State& state, At at, Counters& counters);
  /// A turn at the GPU's queue, whose lock the thread already holds.
  Turn(JobScheduler::State& state, std::unique_lock<std::mutex> gpu_lock, Counters& counters);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  JobQueues& queues() { return *state_.queues; }
  Micros now() const { return now_; }

 private:
  void put(Job* arrivals, QueueSide& side);
  void leave_to_cpu();

  JobScheduler::State& state_;
  Counters& counters_;
  std::unique_lock<std::mutex> gpu_lock_;
  std::unique_lock<std::mutex> cpu_lock_;
  Micros now_ = 0;
  Job* cancelled_ = nullptr;
};

}  // namespace warpdex
