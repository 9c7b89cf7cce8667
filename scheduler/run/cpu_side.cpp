// The CPU threads. Each takes jobs, runs them one by one, and stops those that should not go on.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "run/scheduler_state.hpp"

namespace warpdex {
namespace {

/// A thread takes several jobs at once: while those that it has are predicted to take less than
/// kTinyWork microseconds together, or less than kTakenWork if there are kJobsPerThread or more for
/// each thread that is awake.
constexpr float kTinyWork = 5;
constexpr float kTakenWork = 20;
constexpr std::size_t kJobsPerThread = 4;
constexpr std::size_t kMaxTaken = 16;
/// A thread with less predicted work than this, in microseconds, is back before another one has
/// woken up. So it counts as a lookout, and small jobs wake nobody.
constexpr float kShortRun = 50;
/// A thread with more work than this, in microseconds, makes sure that there is another lookout.
constexpr float kLongRun = 100;
/// This many CPU threads may be awake however few processors are left, so that a long run on one
/// does not hold up all jobs that wait for the CPU.
constexpr std::size_t kFewestThreads = 2;
/// A thread that waits looks for jobs to steal once in this many looks for work.
constexpr std::uint32_t kLooksPerSteal = 256;
/// A run's watch looks at the free processors once in this many calls.
constexpr std::uint32_t kCallsPerLook = 64;

/// With a GPU, CPU threads get a lower priority than the threads that feed it, deliver answers and
/// submit, since these need a processor at once, for microseconds. Does nothing where the system
/// has no priorities of threads.
void give_way() {
#if defined(__linux__)
  constexpr int kNicer = 10;                                                // than the process
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNicer);  // of this thread
#endif
}

/// Why a run was stopped.
enum class Stop { kNone, kCancelled, kTime };

/// Watches one run.
class RunWatch final : public SearchWatch {
 public:
  RunWatch(JobScheduler::State& state, const Job& job, ShortRun& run)
      : state_(state),
        job_(job),
        run_(run),
        generation_(job.generation.load(std::memory_order_relaxed)) {
    const SchedulerSettings& settings = state.settings;
    if (job.options.overload == OverloadPolicy::kPartial) stop_at_ = job.deadline;
    if (job.is_limited) {
      const std::chrono::duration<double, std::micro> longest = settings.limited_run;
      stop_at_ = std::min(stop_at_, job.start + longest.count());
    }
  }

  bool goes_on() override {
    if (job_.cancelled.load(std::memory_order_relaxed) == generation_)
      return stop(Stop::kCancelled);
    // If all threads that are awake have long runs, nobody else would see that processors are free.
    if (state_.has_gpu && ++calls_ % kCallsPerLook == 0) state_.leave_processors();
    if (stop_at_ == kNever && !run_.is_short()) return true;
    const Micros now = state_.now();
    if (run_.is_short() && now >= run_.latest_end()) end_lookout();
    return now >= stop_at_ ? stop(Stop::kTime) : true;
  }

  Stop why() const { return why_; }

 private:
  bool stop(Stop why) {
    why_ = why;
    return false;
  }

  /// The run takes longer than predicted. The thread no longer counts as a lookout, and gives back
  /// the jobs that it has not begun.
  void end_lookout() {
    run_.end();
    for (Job* job : std::exchange(run_.rest, {})) {
      state_.queues->take_back(*job);
      state_.bring(*job);
    }
    if (state_.cpu_side.has_jobs()) state_.idle_cpu->bring_work();
  }

  JobScheduler::State& state_;
  const Job& job_;
  ShortRun& run_;
  const std::uint64_t generation_;
  std::uint32_t calls_ = 0;
  Micros stop_at_ = kNever;
  Stop why_ = Stop::kNone;
};

}  // namespace

bool JobScheduler::State::has_cpu_work(std::uint32_t& looks) const {
  if (cpu_side.has_jobs()) return true;
  if (is_ending.load(std::memory_order_seq_cst)) return true;
  return ++looks % kLooksPerSteal == 0 && queues->size(Lane::kGpu) > 0;
}

/// Takes a job that waits for the GPU, for a CPU thread without jobs; null if none should run on
/// the CPU. The thread does not wait for the GPU's lock, since its holder feeds the GPU.
Job* JobScheduler::State::steal_for_cpu(std::size_t thread) {
  if (queues->size(Lane::kGpu) == 0) return nullptr;
  std::unique_lock lock(gpu_side.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return nullptr;
  Turn turn(*this, std::move(lock), counters[thread]);
  return turn.queues().steal_for_cpu(turn.now());
}

/// Allows as many CPU threads to be awake as other threads leave processors, but kFewestThreads or
/// more. If jobs wait, one thread is woken, which wakes the next. Does not look while so few are
/// awake and more may be, since a look takes longer than many queries.
void JobScheduler::State::leave_processors() {
  if (awake_cpu_threads() <= kFewestThreads && !idle_cpu->are_as_many_awake_as_may_be()) return;
  if (!free_processors->look(now(), cpu_role)) return;
  const std::size_t left = std::max(free_processors->count(), kFewestThreads);
  const std::size_t threads = std::min(cpu_thread_count, left);
  idle_cpu->set_max_awake(threads);
  queues->use_cpu_threads(threads);
  if (cpu_side.has_jobs()) idle_cpu->wake_one();
}

void JobScheduler::State::run_cpu_thread(std::size_t thread) {
  cpu_role.enter();
  std::array<Job*, kMaxTaken> taken{};
  std::array<float, kMaxTaken> work{};
  std::size_t count = 0;
  std::uint32_t looks = 0;
  bool looks_out = false;  // the thread counts as a lookout, whatever it does
  ArrivalRate arrivals;
  const ExactSleep exact;
  if (has_gpu) give_way();
  for (;;) {
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) queues->cpu_done(work[i]);
    count = 0;
    if (idle_cpu->are_too_many_awake()) {
      if (looks_out) idle_cpu->end_lookout();
      looks_out = false;
      idle_cpu->rest(thread);
    }
    {
      Turn turn(*this, Turn::At::kCpu, counters[thread]);
      JobQueues& all = turn.queues();
      if (is_ending.load(std::memory_order_relaxed)) break;
      while (count < kMaxTaken && sum < kTakenWork) {
        const bool are_many = all.for_cpu() >= kJobsPerThread * awake_cpu_threads();
        if (count > 0 && sum >= kTinyWork && !are_many) break;
        Job* const job = all.take_for_cpu();
        if (job == nullptr) break;
        work[count] = job->cost.cpu;
        sum += job->cost.cpu;
        taken[count++] = job;
      }
    }
    if (Job* const stolen = count == 0 ? steal_for_cpu(thread) : nullptr; stolen != nullptr) {
      sum = work[count] = stolen->cost.cpu;
      taken[count++] = stolen;
    }
    if (count == 0) {
      if (has_gpu) leave_processors();
      const auto nap = arrivals.nap(arrived(), now());
      if (looks_out) idle_cpu->end_lookout();
      looks_out = idle_cpu->wait(
          thread, [&] { return has_cpu_work(looks); }, [this] { return may_spin(); }, settings.spin,
          nap);
      continue;
    }
    ShortRun run(*idle_cpu, looks_out, sum < kShortRun ? now() + kShortRun : kNever);
    if (looks_out && !run.is_short() && cpu_side.has_jobs()) idle_cpu->bring_work();
    if (sum >= kLongRun) idle_cpu->bring_work();
    run.rest = std::span(taken).first(count);
    while (!run.rest.empty()) {
      Job& job = *run.rest.front();
      run.rest = run.rest.subspan(1);
      run_on_cpu(job, thread, run);
    }
    looks_out = run.is_short();
    if (has_gpu) leave_processors();
  }
  if (looks_out) idle_cpu->end_lookout();
}

void JobScheduler::State::run_on_cpu(Job& job, std::size_t thread, ShortRun& run) {
  Counters& mine = counters[thread];
  if (job.place.lane == static_cast<std::uint8_t>(Lane::kGpu)) mine.stolen_by_cpu.add(1);
  job.start = now();
  job.processor = Processor::kCpu;
  const bool is_late = job.start > job.deadline;
  if (is_late && job.options.overload == OverloadPolicy::kRefuse) {
    end(job, JobEnd::kRefused, mine);
    return;
  }
  CpuWorker& worker = *cpu_workers[thread][class_number(job.work_class)];
  RunWatch watch(*this, job, run);
  bool is_done = false;
  try {
    if (is_late && job.options.overload == OverloadPolicy::kPartial) {
      job.work_class->answer_nothing(job);
    } else {
      is_done = worker.run(job, watch);
    }
  } catch (...) {
    mine.cpu_runs.add(nanoseconds(now() - job.start));
    job.failure = std::current_exception();
    end(job, JobEnd::kFailed, mine);
    return;
  }
  const Micros took = now() - job.start;
  mine.cpu_runs.add(nanoseconds(took));
  if (is_done) {
    if (!job.is_limited) mine.cpu.add(job.cost.cpu_at(job.cpu_load), took);
    if (!job.is_limited) job.work_class->learn_cpu(job, static_cast<float>(took));
    end(job, JobEnd::kComplete, mine);
  } else {
    end(job, watch.why() == Stop::kCancelled ? JobEnd::kCancelled : JobEnd::kPartial, mine);
  }
}

}  // namespace warpdex
