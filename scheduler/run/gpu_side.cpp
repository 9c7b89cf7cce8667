// The GPU's thread starts batches and polls them until they are done. Jobs that the GPU cannot
// answer go to the CPU.
#include <algorithm>

#include "run/scheduler_state.hpp"

namespace warpdex {
namespace {

/// Batches of more jobs are built by several threads.
constexpr std::size_t kManyJobs = 100;
/// After this many failures in a row the GPU gets no more work.
constexpr std::size_t kMaxFailures = 3;
/// While the GPU's jobs wait longer than this, threads that sleep are woken to steal some.
constexpr Micros kGpuWaitForHelp = 1'000;

}  // namespace

void JobScheduler::State::run_gpu_thread() {
  gpu_role.enter();
  ArrivalRate arrivals;
  const ExactSleep exact;
  const auto has_work = [&] {
    if (gpu_side.has_jobs()) return true;
    return is_ending.load(std::memory_order_seq_cst);
  };
  for (;;) {
    const bool has_started = start_batch();
    const bool is_under_way = poll_batches();
    if (!done.empty()) {
      for (GpuSlot* slot : done) deliver({slot, 0, slot->jobs.size()}, gpu_counters());
      done.clear();
    }
    const bool has_nothing = is_gpu_idle() && gpu_side.queued.load(std::memory_order_relaxed) == 0;
    if ((has_started || is_under_way) && !has_nothing) continue;
    if (is_ending.load(std::memory_order_seq_cst)) return;
    if (!has_free_slots()) {  // all are being delivered
      pause_thread();
      continue;
    }
    const bool looked_out = idle_gpu.wait(
        0, has_work, [this] { return may_spin(); }, settings.spin, arrivals.nap(arrived(), now()));
    if (looked_out) idle_gpu.end_lookout();
  }
}

/// A free slot of a class, for a huge job or for usual batches; null if there is none.
GpuSlot* JobScheduler::State::free_slot(std::size_t class_number, bool is_for_huge) const {
  const auto is_free = [&](const std::unique_ptr<GpuSlot>& slot) {
    return slot->worker == gpu_workers[class_number].get() && slot->is_for_huge == is_for_huge &&
           slot->is_free.load(std::memory_order_acquire);
  };
  const auto found = std::find_if(slots.begin(), slots.end(), is_free);
  return found == slots.end() ? nullptr : found->get();
}

/// Whether every class has a free slot for a usual batch, so that any such batch could start.
bool JobScheduler::State::has_free_slots() const {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (gpu_workers[i] != nullptr && free_slot(i, false) == nullptr) return false;
  }
  return true;
}

bool JobScheduler::State::is_gpu_idle() const {
  return std::none_of(slots.begin(), slots.end(),
                      [](const std::unique_ptr<GpuSlot>& slot) { return slot->is_running; });
}

/// Removes the jobs of a batch whose deadline has passed, unless they are to be answered in full.
void JobScheduler::State::drop_late(std::vector<Job*>& jobs) {
  const Micros time = now();
  const auto drop = [&](Job* job) {
    if (time <= job->deadline || job->options.overload == OverloadPolicy::kWait) return false;
    queues->take_back(*job);
    if (job->options.overload == OverloadPolicy::kRefuse) {
      end(*job, JobEnd::kRefused, gpu_counters());
    } else {
      job->is_limited = true;
      back_to_cpu(*job);
    }
    return true;
  };
  jobs.erase(std::remove_if(jobs.begin(), jobs.end(), drop), jobs.end());
}

/// Starts the next batch, if there is one. Returns whether it did.
bool JobScheduler::State::start_batch() {
  if (is_ending.load(std::memory_order_relaxed) || !has_free_slots()) return false;
  const Micros begin = now();
  if (begin < next_batch.load(std::memory_order_relaxed) && gpu_side.inbox.empty()) return false;
  BatchClaim claim;
  bool wants_help = false;
  {
    Turn turn(*this, Turn::At::kGpu, gpu_counters());
    claim = turn.queues().take_batch(turn.now(), next_jobs);
    wants_help =
        turn.queues().size(Lane::kGpu) > 0 && turn.queues().waits(turn.now()).gpu > kGpuWaitForHelp;
  }
  if (wants_help) idle_cpu->bring_work();
  if (next_jobs.empty()) return false;
  const std::size_t of_class = class_number(next_jobs[0]->work_class);
  GpuSlot* of_huge = claim.is_huge ? free_slot(of_class, true) : nullptr;
  GpuSlot& slot = of_huge != nullptr ? *of_huge : *free_slot(of_class, false);
  drop_late(next_jobs);
  slot.jobs.swap(next_jobs);  // both keep their memory
  slot.claim = claim;
  start(slot);
  gpu_counters().starts.add(nanoseconds(now() - begin));
  return true;
}

void JobScheduler::State::start(GpuSlot& slot) {
  slot.is_free.store(false, std::memory_order_relaxed);
  slot.start = now();
  slot.is_alone = is_gpu_idle();
  for (const auto& other : slots) other->is_alone = other->is_alone && !other->is_running;
  slot.is_running = true;
  slot.delivered = 0;
  slot.predicted = static_cast<float>(batch_work(slot.jobs));
  for (Job* job : slot.jobs) {
    job->start = slot.start;
    job->processor = Processor::kGpu;
  }
  gpu_counters().batches.add(1);
  try {
    if (slot.jobs.size() < kManyJobs) {
      slot.worker->start(slot.number, slot.jobs);
    } else {
      builders.execute([&] { slot.worker->start(slot.number, slot.jobs); });
    }
  } catch (...) {
    fail_batch(slot);
  }
}

/// Finishes batches that are done. Returns whether some are under way.
bool JobScheduler::State::poll_batches() {
  bool is_under_way = false;
  for (const auto& slot : slots) {
    if (!slot->is_running) continue;
    is_under_way = true;
    Micros begin = 0;
    try {
      if (!slot->worker->poll(slot->number)) {
        deliver_early(*slot);
        continue;
      }
      begin = now();
      slot->worker->take(slot->number);
    } catch (...) {
      fail_batch(*slot);
      continue;
    }
    finish_batch(*slot);
    gpu_counters().ends.add(nanoseconds(now() - begin));
  }
  return is_under_way;
}

/// Ends a batch. A few answers are delivered by this thread, many are handed over.
void JobScheduler::State::finish_batch(GpuSlot& slot) {
  failures_in_a_row = 0;
  slot.is_running = false;
  const Micros end_time = now();
  const auto took = static_cast<float>(end_time - std::max(slot.start, last_batch_end));
  last_batch_end = end_time;
  learn(slot, took);
  slot.undelivered.store(1, std::memory_order_relaxed);
  {
    Turn turn(*this, Turn::At::kGpu, gpu_counters());
    turn.queues().batch_done(slot.claim, turn.now());
  }
  if (is_soon_delivered(slot)) {
    done.push_back(&slot);
  } else {
    hand_over(slot);
  }
}

/// Learns from the time that a batch took.
void JobScheduler::State::learn(const GpuSlot& slot, float took) {
  const std::size_t jobs = slot.jobs.size();
  if (slot.delivered == jobs) return;  // there is no job, or none that may still be read
  if (slot.is_alone) gpu_counters().gpu.add(slot.predicted, static_cast<double>(took));
  // The time of a single job that ran beside others says little.
  if (!slot.is_alone && jobs == 1) return;
  const float part = slot.is_alone ? 1 : kPartBesideOthers;
  const auto is_left = [](const Job* job) { return job != nullptr; };
  const Job& job = **std::find_if(slot.jobs.begin(), slot.jobs.end(), is_left);
  job.work_class->learn_gpu(job, jobs, part * slot.predicted, took);
}

/// A batch failed: the jobs that were not delivered go to the CPU.
void JobScheduler::State::fail_batch(GpuSlot& slot) noexcept {
  slot.is_running = false;
  slot.worker->give_back(slot.number, slot.jobs);
  gpu_counters().gpu_failures.add(1);
  {
    Turn turn(*this, Turn::At::kGpu, gpu_counters());
    turn.queues().batch_done(slot.claim, turn.now());
    if (++failures_in_a_row >= kMaxFailures) {
      turn.queues().give_up_gpu();
      gpu_is_given_up.store(true, std::memory_order_relaxed);
    }
  }
  gpu_counters().moved_to_cpu.add(slot.jobs.size() - slot.delivered);
  for (Job* job : slot.jobs) {
    if (job != nullptr) back_to_cpu(*job);
  }
  slot.is_free.store(true, std::memory_order_release);
  idle_cpu->bring_work();
}

/// The GPU does not answer the job.
void JobScheduler::State::back_to_cpu(Job& job) {
  ++job.moves;
  job.cost.gpu_can = false;
  bring(job);
}

}  // namespace warpdex
