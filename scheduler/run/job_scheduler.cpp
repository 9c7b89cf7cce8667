// Admits jobs and ends them; starts and ends the threads.
#include "warpdex/scheduler/job_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "run/scheduler_state.hpp"
#include "run/thread_shares.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

/// CPU threads for each lookout.
constexpr std::size_t kThreadsPerLookout = 8;

/// Adds one to a count, if it is below `limit`. Returns whether it was. Never counts too many, not
/// even for a moment: a thread that waits for room would take that for a lack of room.
bool raise(std::atomic<std::size_t>& count, std::size_t limit) {
  std::size_t before = count.load(std::memory_order_seq_cst);
  while (before < limit) {
    if (count.compare_exchange_weak(before, before + 1, std::memory_order_seq_cst)) return true;
  }
  return false;
}

}  // namespace

void SchedulerSettings::validate() const {
  placement.validate();
  if (capacity == 0) {
    throw UsageError("a scheduler with room for no job answers nothing; capacity is 1 or more");
  }
  if (limited_run.count() <= 0 || spin.count() < 0) {
    throw UsageError("give the scheduler a limited_run above 0, and a spin that is not negative");
  }
}

JobScheduler::State::State(std::span<WorkClass* const> wanted_classes,
                           const SchedulerSettings& wanted)
    : settings(wanted), classes(wanted_classes.begin(), wanted_classes.end()) {
  settings.validate();
  for (WorkClass* work_class : classes) {
    const bool is_for_cpu_only = settings.placement.placement == Placement::kCpuOnly;
    gpu_workers.push_back(is_for_cpu_only ? nullptr : work_class->make_gpu_worker());
    GpuWorker* const worker = gpu_workers.back().get();
    for (std::size_t i = 0; worker != nullptr && i < worker->max_batches(); ++i) {
      slots.push_back(std::make_unique<GpuSlot>());
      slots.back()->worker = worker;
      slots.back()->number = i;
      slots.back()->is_for_huge = worker->is_for_huge(i);
    }
  }
  has_gpu = !slots.empty();
  const ThreadShares shares = thread_shares(settings.cpu_threads, has_gpu);
  cpu_thread_count = shares.cpu;
  deliverer_count = shares.deliverers;
  queues = std::make_unique<JobQueues>(settings.placement, cpu_thread_count, has_gpu);
  const std::size_t clients = settings.placement.client_weights.size();
  under_way_of = std::make_unique<std::atomic<std::size_t>[]>(clients);
  for (const double weight : settings.placement.client_weights) weight_sum += weight;
  counters = std::make_unique<Counters[]>(counter_count());
  const std::size_t lookouts =
      settings.lookouts > 0 ? settings.lookouts
                            : std::max<std::size_t>(1, cpu_thread_count / kThreadsPerLookout);
  idle_cpu = std::make_unique<IdleThreads>(cpu_thread_count, lookouts);
  free_processors.emplace(std::max(processors, cpu_thread_count));
  cpu_workers.resize(cpu_thread_count);
  for (auto& workers : cpu_workers) {
    for (WorkClass* work_class : classes) workers.push_back(work_class->make_cpu_worker());
  }
  try {
    start_threads(shares.builders);
  } catch (...) {
    end_threads();
    throw;
  }
}

void JobScheduler::State::start_threads(std::size_t builder_count) {
  for (std::size_t i = 0; i < cpu_thread_count; ++i) {
    cpu_threads.emplace_back([this, i] { run_cpu_thread(i); });
  }
  if (!has_gpu) return;
  builders.initialize(static_cast<int>(builder_count));
  builder_entries.emplace(builders, builder_role);
  for (std::size_t i = 0; i < deliverer_count; ++i) {
    delivery_threads.emplace_back([this, i] { run_delivery_thread(i); });
  }
  gpu_thread = std::jthread([this] { run_gpu_thread(); });
}

/// Waits for what runs. Jobs that are queued stay there.
void JobScheduler::State::end_threads() {
  is_ending.store(true, std::memory_order_seq_cst);
  idle_cpu->wake_all();
  idle_gpu.wake_all();
  cpu_threads.clear();
  if (gpu_thread.joinable()) gpu_thread.join();
  end_delivery();
}

JobScheduler::State::~State() {
  end_threads();
  cancel_queued();
}

void JobScheduler::State::cancel_queued() {
  std::vector<Job*> left;
  {
    Turn turn(*this, Turn::At::kBoth, caller_counters());
    left = turn.queues().take_all();
  }
  for (Job* job : left) end(*job, JobEnd::kCancelled, caller_counters());
}

std::size_t JobScheduler::State::class_number(const WorkClass* work_class) const {
  const auto found = std::find(classes.begin(), classes.end(), work_class);
  return static_cast<std::size_t>(found - classes.begin());
}

void JobScheduler::State::submit(Job& job) {
  if (job.options.client >= settings.placement.client_weights.size()) {
    throw UsageError("there is no client " + std::to_string(job.options.client) +
                     "; SchedulerSettings has weights for " +
                     std::to_string(settings.placement.client_weights.size()));
  }
  job.arrival = now();
  job.deadline = job.options.has_deadline()
                     ? job.arrival + static_cast<double>(job.options.deadline.count())
                     : kNever;
  job.start = job.arrival;
  job.processor = Processor::kCpu;
  job.moves = 0;
  job.failure = nullptr;
  job.is_limited = false;
  job.cost = job.work_class->estimate(job);
  job.state.store(Job::State::kComing, std::memory_order_relaxed);
  submitted.add(1);
  if (let_in(job)) bring(job);
}

/// Finds room for a job, or ends it. Returns whether it goes on.
bool JobScheduler::State::let_in(Job& job) {
  if (take_room(job.options.client)) return let_in_with_deadline(job);
  switch (job.options.overload) {
    case OverloadPolicy::kWait: wait_for_room(job.options.client); return true;
    case OverloadPolicy::kRefuse: tell(job, JobEnd::kRefused, caller_counters()); return false;
    case OverloadPolicy::kPartial: break;
  }
  tell(job, answer_nothing(job), caller_counters());
  return false;
}

/// Gives the job an empty answer. Returns how it ends: partial, or failed.
JobEnd JobScheduler::State::answer_nothing(Job& job) {
  try {
    job.work_class->answer_nothing(job);
    return JobEnd::kPartial;
  } catch (...) {
    job.failure = std::current_exception();
    return JobEnd::kFailed;
  }
}

/// Called if there is room. A job that would miss its deadline is refused or gets a limited run, as
/// its OverloadPolicy says. False: it has ended, refused or with an empty answer.
bool JobScheduler::State::let_in_with_deadline(Job& job) {
  if (job.options.overload == OverloadPolicy::kWait || job.deadline == kNever) return true;
  if (queues->can_meet_deadline(job, job.arrival)) return true;
  if (job.options.overload == OverloadPolicy::kRefuse) {
    end(job, JobEnd::kRefused, caller_counters());
    return false;
  }
  job.is_limited = true;
  job.cost.gpu_can = false;
  const auto run = std::chrono::duration<float, std::micro>(settings.limited_run).count();
  job.cost.cpu = std::min(job.cost.cpu, run);
  if (queues->can_meet_deadline(job, job.arrival)) return true;
  end(job, answer_nothing(job), caller_counters());
  return false;
}

/// Takes room for a job. False if there is none.
bool JobScheduler::State::take_room(std::uint32_t client) {
  const std::vector<double>& weights = settings.placement.client_weights;
  if (weights.size() == 1) return raise(under_way, settings.capacity);
  const double share = static_cast<double>(settings.capacity) * weights[client] / weight_sum;
  if (raise(under_way_of[client], static_cast<std::size_t>(std::ceil(share)))) {
    under_way.fetch_add(1, std::memory_order_seq_cst);
    return true;
  }
  if (!raise(under_way, settings.capacity)) return false;
  under_way_of[client].fetch_add(1, std::memory_order_seq_cst);
  return true;
}

void JobScheduler::State::wait_for_room(std::uint32_t client) {
  room_waiters.fetch_add(1, std::memory_order_seq_cst);
  {
    std::unique_lock lock(room_mutex);
    room_changed.wait(lock, [&] { return take_room(client); });
  }
  room_waiters.fetch_sub(1, std::memory_order_seq_cst);
}

void JobScheduler::State::leave(std::uint32_t client) {
  const bool has_clients = settings.placement.client_weights.size() > 1;
  if (has_clients) under_way_of[client].fetch_sub(1, std::memory_order_seq_cst);
  under_way.fetch_sub(1, std::memory_order_seq_cst);
  if (room_waiters.load(std::memory_order_seq_cst) == 0) return;
  { const std::lock_guard lock(room_mutex); }
  has_clients ? room_changed.notify_all() : room_changed.notify_one();
}

/// Chooses the processor for a job by the load, and hands it to that processor's threads.
void JobScheduler::State::bring(Job& job) {
  job.state.store(Job::State::kComing, std::memory_order_relaxed);
  if (queues->place(job, now()) == Lane::kCpu) {
    cpu_side.inbox.push(job);
    idle_cpu->bring_work();
  } else {
    gpu_side.inbox.push(job);
    idle_gpu.bring_work();
  }
}

/// Ends a job that had room.
void JobScheduler::State::end(Job& job, JobEnd how, Counters& mine) noexcept {
  leave(job.options.client);
  tell(job, how, mine);
}

void JobScheduler::State::tell(Job& job, JobEnd how, Counters& mine) noexcept {
  job.end = now();
  mine.count_end(job, how);
  job.state.store(Job::State::kIdle, std::memory_order_relaxed);
  job.generation.fetch_add(1, std::memory_order_acq_rel);
  job.finish(how);
}

JobScheduler::JobScheduler(std::span<WorkClass* const> classes, const SchedulerSettings& settings)
    : state_(std::make_unique<State>(classes, settings)) {}
JobScheduler::~JobScheduler() = default;

void JobScheduler::submit(Job& job) { state_->submit(job); }

bool JobScheduler::cancel(Job& job, std::uint64_t generation) {
  bool was_queued = false;
  {
    Turn turn(*state_, Turn::At::kBoth, state_->caller_counters());
    if (job.generation.load(std::memory_order_acquire) != generation) return false;
    job.cancelled.store(generation, std::memory_order_release);
    was_queued = job.state.load(std::memory_order_relaxed) == Job::State::kQueued;
    if (was_queued) turn.queues().remove(job);
  }
  if (was_queued) state_->end(job, JobEnd::kCancelled, state_->caller_counters());
  return true;
}

void JobScheduler::cancel_queued() { state_->cancel_queued(); }

SchedulerStatistics JobScheduler::statistics() const {
  SchedulerStatistics sum = sum_of(state_->counters.get(), state_->counter_count());
  sum.processors.cpu_threads = state_->cpu_role.read();
  sum.processors.gpu_thread = state_->gpu_role.read();
  sum.processors.builders = state_->builder_role.read();
  sum.processors.deliverers = state_->deliverer_role.read();
  sum.under_way = state_->under_way.load(std::memory_order_relaxed);
  sum.submitted = state_->submitted.value();
  sum.gpu_is_given_up = state_->gpu_is_given_up.load(std::memory_order_relaxed);
  sum.prefers_gpu = state_->queues->size(Lane::kGpu);
  sum.prefers_cpu = state_->queues->size(Lane::kCpu);
  sum.huge = state_->queues->size(Lane::kHuge);
  return sum;
}

std::size_t JobScheduler::cpu_threads() const { return state_->cpu_thread_count; }

Micros JobScheduler::now() const { return state_->now(); }

}  // namespace warpdex
