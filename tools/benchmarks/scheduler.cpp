// The scheduler's own cost: jobs that take no time, at a given rate, with threads that look out for
// them, and then as fast as they can be submitted, when no thread waits. Prints the processor time
// (user and system) of the process for each job.
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

/// The generator naps where it would wait, so that its waiting is not counted.
constexpr std::chrono::microseconds kNap{100};

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

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Submits jobs for some seconds, `rate` a second (0: as fast as it can), and prints what that
/// took.
void run(double rate, double seconds, std::size_t threads) {
  constexpr std::size_t kJobs = 1 << 15;  // more than there is room for
  EmptyWork work;
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings;
  settings.cpu_threads = threads;
  settings.spin = std::chrono::microseconds(200);
  JobScheduler scheduler(classes, settings);
  std::atomic<std::size_t> ended = 0;
  std::deque<EmptyJob> jobs;
  for (std::size_t i = 0; i < kJobs; ++i) jobs.emplace_back(work, ended);
  const double before = processor_seconds();
  const Micros start = scheduler.now();
  std::size_t submitted = 0;
  for (Micros now = start; now < start + seconds * 1e6; now = scheduler.now()) {
    const auto due =
        rate > 0 ? static_cast<std::size_t>((now - start) * rate / 1e6) : submitted + 64;
    if (submitted >= due) std::this_thread::sleep_for(kNap);
    for (; submitted < due; ++submitted) {
      EmptyJob& job = jobs[submitted % kJobs];
      while (!job.is_free.load(std::memory_order_acquire)) std::this_thread::sleep_for(kNap);
      job.is_free.store(false, std::memory_order_relaxed);
      scheduler.submit(job);
    }
  }
  while (ended.load() < submitted) std::this_thread::sleep_for(kNap);
  const double took = (scheduler.now() - start) / 1e6;
  const double used = processor_seconds() - before;
  const SchedulerStatistics statistics = scheduler.statistics();
  std::cout << static_cast<std::uint64_t>(static_cast<double>(submitted) / took) << " jobs/s, "
            << used / static_cast<double>(submitted) * 1e6 << " us of processor time a job"
            << (rate > 0 ? " (threads that look out included)" : " (no thread waits)") << ", p50 "
            << statistics.latencies.p50 << " us, p99 " << statistics.latencies.p99 << " us, "
            << statistics.batches << " batches\n";
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) {
  try {
    const double rate = count > 1 ? std::stod(values[1]) : 500'000;
    const double seconds = count > 2 ? std::stod(values[2]) : 3;
    const std::size_t threads = count > 3 ? std::stoul(values[3]) : 0;
    warpdex::run(rate, seconds, threads);
    if (rate > 0) warpdex::run(0, seconds, threads);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_scheduler [RATE [SECONDS [THREADS]]]: " << error.what() << "\n";
    return 1;
  }
}
