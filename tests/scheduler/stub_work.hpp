// Jobs without any search in them, for tests and for the benchmark of the scheduler's own cost.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex::test {

/// Knows its cost beforehand, and tells a function how it ended.
class StubJob final : public Job {
 public:
  explicit StubJob(WorkClass& work) : Job(work) {}
  void finish(JobEnd how) noexcept override {
    ended = how;
    if (on_end) on_end(*this, how);
    ends.fetch_add(1);  // the test may delete the job now
  }

  JobCost wanted;
  JobEnd ended = JobEnd::kFailed;
  std::atomic<int> ends = 0;
  std::function<void(StubJob&, JobEnd)> on_end;
};

/// Runs jobs by `run`, if it is set; batches are done at once.
class StubWork final : public WorkClass {
 public:
  explicit StubWork(std::size_t gpu_batches) : gpu_batches_(gpu_batches) {}

  std::function<bool(StubJob&, SearchWatch&)> run;
  std::atomic<bool> gpu_fails = false;
  bool nothing_fails = false;

  JobCost estimate(const Job& job) const override {
    return static_cast<const StubJob&>(job).wanted;
  }
  std::unique_ptr<CpuWorker> make_cpu_worker() override { return std::make_unique<Cpu>(*this); }
  std::unique_ptr<GpuWorker> make_gpu_worker() override {
    if (gpu_batches_ == 0) return nullptr;
    return std::make_unique<Gpu>(*this);
  }
  void answer_nothing(Job&) const override {
    if (nothing_fails) throw Error("there is no empty answer");
    ++nothings;
  }

  mutable std::atomic<int> nothings = 0;

 private:
  class Cpu final : public CpuWorker {
   public:
    explicit Cpu(StubWork& work) : work_(work) {}
    bool run(Job& job, SearchWatch& watch) override {
      return !work_.run || work_.run(static_cast<StubJob&>(job), watch);
    }

   private:
    StubWork& work_;
  };
  class Gpu final : public GpuWorker {
   public:
    explicit Gpu(const StubWork& work) : work_(work) {}
    std::size_t max_batches() const override { return work_.gpu_batches_; }
    void start(std::size_t, std::span<Job* const>) override {
      if (work_.gpu_fails) throw Error("the GPU that is none has failed");
    }
    bool poll(std::size_t) override { return true; }
    void take(std::size_t) override {}
    bool deliver(std::size_t, std::size_t, Job&) override { return true; }
    void release(std::size_t) noexcept override {}
    void give_back(std::size_t, std::span<Job* const>) noexcept override {}

   private:
    const StubWork& work_;
  };

  std::size_t gpu_batches_;
};

}  // namespace warpdex::test
