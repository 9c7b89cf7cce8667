// The scheduler's own cost: jobs that take no time, at a given rate, as fast as they can be
// submitted, and a thousand a second, for their latency: with a caller that keeps a processor busy,
// and with one that sleeps between jobs. Prints the processor time for each job:
// all that the scheduler's threads take, user and system, looking out included, and the time that
// submit() takes. The generator's own waiting does not count.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "warpdex/core/waiting.hpp"
#include "warpdex/scheduler/job_scheduler.hpp"

namespace warpdex {
namespace {

/// Between two looks at whether a job is free.
constexpr std::chrono::microseconds kNap{100};
constexpr double kIdleRate = 1'000;
/// A submit() that takes so long has lost its processor meanwhile, and does not count.
constexpr Micros kLostProcessor = 100;

class EmptyJob final : public Job {
 public:
  EmptyJob(WorkClass& work, std::atomic<std::size_t>& ended) : Job(work), ended_(ended) {}
  void finish(JobEnd) noexcept override {
    is_free.store(true, std::memory_order_release);
    ended_.fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic<bool> is_free = true;

 private:
  std::atomic<std::size_t>& ended_;
};

class EmptyCpuWorker final : public CpuWorker {
 public:
  bool run(Job&, SearchWatch&) override { return true; }
};

class EmptyGpuWorker final : public GpuWorker {
 public:
  std::size_t max_batches() const override { return 5; }
  void start(std::size_t, std::span<Job* const>) override {}
  bool poll(std::size_t) override { return true; }
  void take(std::size_t) override {}
  bool deliver(std::size_t, std::size_t, Job&) override { return true; }
  void release(std::size_t) noexcept override {}
  void give_back(std::size_t, std::span<Job* const>) noexcept override {}
};

/// Half of the jobs prefer each processor.
class EmptyWork final : public WorkClass {
 public:
  JobCost estimate(const Job& job) const override {
    const bool prefers_gpu = reinterpret_cast<std::uintptr_t>(&job) / sizeof(EmptyJob) % 2 == 0;
    return {prefers_gpu ? 50.0F : 1.0F, 10, 0.5F, true, 9};
  }
  std::unique_ptr<CpuWorker> make_cpu_worker() override {
    return std::make_unique<EmptyCpuWorker>();
  }
  std::unique_ptr<GpuWorker> make_gpu_worker() override {
    return std::make_unique<EmptyGpuWorker>();
  }
  void answer_nothing(Job&) const override {}
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Processor time of `who`, user and system.
double processor_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double scheduler_threads_seconds() {
  return processor_seconds(RUSAGE_SELF) - processor_seconds(RUSAGE_THREAD);
}

/// Jobs that are used again and again.
class Jobs {
 public:
  explicit Jobs(EmptyWork& work) {
    for (std::size_t i = 0; i < kJobs; ++i) jobs_.emplace_back(work, ended_);
  }
  /// Waits until the next one is free.
  EmptyJob& next() {
    EmptyJob& job = jobs_[taken_++ % kJobs];
    while (!job.is_free.load(std::memory_order_acquire)) std::this_thread::sleep_for(kNap);
    job.is_free.store(false, std::memory_order_relaxed);
    return job;
  }
  std::size_t taken() const { return taken_; }
  void wait() const {
    while (ended_.load() < taken_) std::this_thread::sleep_for(kNap);
  }

 private:
  static constexpr std::size_t kJobs = 1 << 15;  // more than there is room for
  std::atomic<std::size_t> ended_ = 0;
  std::deque<EmptyJob> jobs_;
  std::size_t taken_ = 0;
};

/// What the generator does between two jobs: whether it leaves its processor to others.
enum class Caller : std::uint8_t { kSpins, kSleeps };

void wait_until_time(const JobScheduler& scheduler, Micros due, Caller caller) {
  const auto now = [&] { return scheduler.now(); };
  if (caller == Caller::kSleeps) {
    wait_for_moment(now, due, [] { return true; });
    return;
  }
  while (now() < due) pause_thread();
}

/// Submits jobs for some seconds, `rate` a second (0: as fast as it can). Returns the seconds that
/// submit() took.
double submit_all(JobScheduler& scheduler, Jobs& jobs, double rate, double seconds, Caller caller) {
  double in_submit = 0;
  const Micros start = scheduler.now();
  const Micros end = start + seconds * 1e6;
  const double between = rate > 0 ? 1e6 / rate : 0;
  for (Micros due = start; due < end; due += between) {
    wait_until_time(scheduler, due, caller);
    if (rate == 0) due = scheduler.now();
    EmptyJob& job = jobs.next();
    const Micros before = scheduler.now();
    scheduler.submit(job);
    const Micros took = scheduler.now() - before;
    if (took < kLostProcessor) in_submit += took;
  }
  return in_submit * 1e-6;
}

/// Prints what jobs at a rate took.
void run(double rate, double seconds, std::size_t threads, Caller caller = Caller::kSpins) {
  EmptyWork work;
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings;
  settings.cpu_threads = threads;
  JobScheduler scheduler(classes, settings);
  Jobs jobs(work);
  const double before = scheduler_threads_seconds();
  const Micros start = scheduler.now();
  const double in_submit = submit_all(scheduler, jobs, rate, seconds, caller);
  jobs.wait();
  const double took = (scheduler.now() - start) / 1e6;
  const double used = scheduler_threads_seconds() - before;
  const SchedulerStatistics statistics = scheduler.statistics();
  const auto count = static_cast<double>(jobs.taken());
  std::cout << static_cast<std::uint64_t>(count / took) << " jobs/s"
            << (rate == 0 ? " (as many as can be)" : "")
            << (caller == Caller::kSleeps ? " (the caller sleeps)" : "") << ": "
            << (used + in_submit) / count * 1e6 << " us of processor time a job, "
            << in_submit / count * 1e6 << " of them in submit(); p50 " << statistics.latencies.p50
            << " us, p99 " << statistics.latencies.p99 << " us, " << statistics.batches
            << " batches\n";
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) {
  try {
    const double rate = count > 1 ? std::stod(values[1]) : 500'000;
    const double seconds = count > 2 ? std::stod(values[2]) : 3;
    const std::size_t threads = count > 3 ? std::stoul(values[3]) : 0;
    warpdex::run(rate, seconds, threads);
    warpdex::run(0, seconds, threads);
    warpdex::run(warpdex::kIdleRate, seconds, threads);
    warpdex::run(warpdex::kIdleRate, seconds, threads, warpdex::Caller::kSleeps);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_scheduler [RATE [SECONDS [THREADS]]]: " << error.what() << "\n";
    return 1;
  }
}
