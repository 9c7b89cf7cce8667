// Takes the lock by spinning first: it is held for a microsecond at most.
#include "run/scheduler_state.hpp"

namespace warpdex {
namespace {

constexpr int kLockTries = 200;
/// Queued work for each thread that is awake, in microseconds, which is worth waking another one.
constexpr double kWorkPerThread = 50;

std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < kLockTries && !lock.owns_lock(); ++i) {
    pause_thread();
    lock.try_lock();
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

bool is_cancelled(const Job& job) {
  return job.cancelled.load(std::memory_order_acquire) ==
         job.generation.load(std::memory_order_relaxed);
}

}  // namespace

Turn::Turn(JobScheduler::State& state, Counters& counters)
    : state_(state),
      counters_(counters),
      arrivals_(state.inbox.take_all()),
      lock_(lock_soon(state.mutex)),
      now_(state.now()) {
  std::uint64_t arrived = state_.arrived.load(std::memory_order_relaxed);
  for (Job* job = arrivals_; job != nullptr; ++arrived) {
    Job* const next = job->next;
    if (is_cancelled(*job)) {
      job->next = cancelled_;
      cancelled_ = job;
    } else {
      state_.queues->push(*job, now_);
    }
    job = next;
  }
  state_.arrived.store(arrived, std::memory_order_relaxed);
}

/// One more thread where there is much to do for those that are awake.
void JobScheduler::State::wake_for(Micros cpu_work) {
  const std::size_t awake = awake_cpu_threads();
  if (awake < cpu_thread_count && cpu_work > kWorkPerThread * static_cast<double>(awake)) {
    idle_cpu->wake_one();
  } else {
    idle_cpu->bring_work();
  }
}

Turn::~Turn() {
  const JobQueues& queues = *state_.queues;
  const Waits waits = queues.waits(now_);
  const bool queues_have_cpu_work = queues.for_cpu() > 0;
  const Micros cpu_work = queues.queued_cpu_work();
  const bool queues_have_gpu_work = queues.has_gpu() && queues.for_gpu() > 0;
  state_.cpu_wait.store(waits.cpu, std::memory_order_relaxed);
  state_.gpu_free_at.store(now_ + waits.gpu, std::memory_order_relaxed);
  state_.next_batch.store(queues.next_batch_time(), std::memory_order_relaxed);
  state_.for_cpu.store(queues.for_cpu(), std::memory_order_seq_cst);
  state_.for_gpu.store(queues.for_gpu(), std::memory_order_seq_cst);
  lock_.unlock();
  counters_.queues.add(nanoseconds(state_.now() - now_));
  if (queues_have_cpu_work) state_.wake_for(cpu_work);
  if (queues_have_gpu_work) state_.idle_gpu.bring_work();
  while (cancelled_ != nullptr) {
    Job* const job = cancelled_;
    cancelled_ = job->next;
    state_.end(*job, JobEnd::kCancelled, counters_);
  }
}

}  // namespace warpdex
