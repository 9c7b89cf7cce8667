// Takes locks by spinning first: most turns hold them for a microsecond or less. Taking a batch
// from thousands of jobs takes longer.
#include <utility>

#include "run/scheduler_state.hpp"

namespace warpdex {
namespace {

constexpr int kLockTries = 200;
/// With more queued work than this for each thread that is awake, in microseconds, another one is
/// woken.
constexpr double kWorkPerThread = 50;

std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < kLockTries && !lock.owns_lock(); ++i) {
    pause_thread();
    if (lock.try_lock()) return lock;
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

bool is_cancelled(const Job& job) {
  return job.cancelled.load(std::memory_order_acquire) ==
         job.generation.load(std::memory_order_relaxed);
}

}  // namespace

/// Takes the inboxes before the locks, since linking their jobs reads memory that callers wrote.
Turn::Turn(JobScheduler::State& state, At at, Counters& counters)
    : state_(state), counters_(counters) {
  Job* const for_gpu = at == At::kCpu ? nullptr : state.gpu_side.inbox.take_all();
  Job* const for_cpu = at == At::kGpu ? nullptr : state.cpu_side.inbox.take_all();
  if (at != At::kCpu) gpu_lock_ = lock_soon(state.gpu_side.mutex);
  if (at != At::kGpu) cpu_lock_ = lock_soon(state.cpu_side.mutex);
  now_ = state.now();
  put(for_gpu, state.gpu_side);
  put(for_cpu, state.cpu_side);
}

Turn::Turn(JobScheduler::State& state, std::unique_lock<std::mutex> gpu_lock, Counters& counters)
    : state_(state), counters_(counters), gpu_lock_(std::move(gpu_lock)), now_(state.now()) {
  put(state.gpu_side.inbox.take_all(), state.gpu_side);
}

void Turn::put(Job* arrivals, QueueSide& side) {
  if (arrivals == nullptr) return;
  std::uint64_t arrived = side.arrived.load(std::memory_order_relaxed);
  for (Job* job = arrivals; job != nullptr; ++arrived) {
    Job* const next = job->next;
    if (is_cancelled(*job)) {
      state_.queues->forget(*job);
      job->next = cancelled_;
      cancelled_ = job;
    } else {
      state_.queues->put(*job);
    }
    job = next;
  }
  side.arrived.store(arrived, std::memory_order_relaxed);
}

/// The GPU has been given up. Jobs that were placed on it before go to the CPU.
void Turn::leave_to_cpu() {
  if (!cpu_lock_.owns_lock()) cpu_lock_ = lock_soon(state_.cpu_side.mutex);
  state_.queues->place_again(now_);
}

/// Wakes one more thread if there is much work for those that are awake, else only if there is no
/// lookout.
void JobScheduler::State::wake_for(Micros cpu_work) {
  const std::size_t awake = awake_cpu_threads();
  if (awake < cpu_thread_count && cpu_work > kWorkPerThread * static_cast<double>(awake)) {
    idle_cpu->wake_one();
  } else {
    idle_cpu->bring_work();
  }
}

Turn::~Turn() {
  JobQueues& queues = *state_.queues;
  bool has_gpu_work = false;
  bool has_cpu_work = false;
  if (gpu_lock_.owns_lock()) {
    if (!queues.has_gpu() && queues.for_gpu() > 0) leave_to_cpu();
    has_gpu_work = queues.for_gpu() > 0;
    state_.next_batch.store(queues.next_batch_time(), std::memory_order_relaxed);
    state_.gpu_side.queued.store(queues.for_gpu(), std::memory_order_seq_cst);
    if (!cpu_lock_.owns_lock()) counters_.gpu_queue.add(nanoseconds(state_.now() - now_));
    gpu_lock_.unlock();
  }
  if (cpu_lock_.owns_lock()) {
    has_cpu_work = queues.for_cpu() > 0;
    state_.cpu_side.queued.store(queues.for_cpu(), std::memory_order_seq_cst);
    counters_.cpu_queue.add(nanoseconds(state_.now() - now_));
    cpu_lock_.unlock();
  }
  if (has_cpu_work) state_.wake_for(queues.queued_cpu_work());
  if (has_gpu_work) state_.idle_gpu.bring_work();
  while (cancelled_ != nullptr) {
    Job* const job = cancelled_;
    cancelled_ = job->next;
    state_.end(*job, JobEnd::kCancelled, counters_);
  }
}

}  // namespace warpdex
