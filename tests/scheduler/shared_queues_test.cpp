// The queues in the hands of several threads, as the scheduler's rules of locking have it.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "queues/job_queues.hpp"
#include "tests/scheduler/stub_work.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using test::StubJob;
using test::StubWork;

constexpr std::size_t kCallers = 3;
constexpr std::size_t kJobsOfCaller = 4'000;
constexpr std::size_t kClients = 3;

class SharedQueuesTest : public testing::Test {
 protected:
  SharedQueuesTest() {
    std::mt19937_64 random = test::generator(842);
    for (std::size_t i = 0; i < kCallers * kJobsOfCaller; ++i) {
      StubJob& job = jobs_.emplace_back(work_);
      const auto share = 0.3F + static_cast<float>(random() % 1'000) / 7;
      const auto cpu = 0.7F + static_cast<float>(random() % 3'000) / 9;
      job.cost = {cpu, share + 40, share, random() % 5 > 0, 40};
      job.deadline = random() % 2 == 0 ? kNever : static_cast<double>(random() % 1'000'000);
      job.options.client = static_cast<std::uint32_t>(random() % kClients);
    }
  }

  static PlacementSettings settings() {
    PlacementSettings settings;
    settings.client_weights.assign(kClients, 1);
    settings.batch_jobs = 50;
    return settings;
  }

  /// Each job is placed without a lock, and put with its processor's. Every seventh is forgotten.
  void submit(std::size_t caller) {
    for (std::size_t i = caller; i < jobs_.size(); i += kCallers) {
      const Lane lane = all_.place(jobs_[i], now_);
      if (i % 7 == 0) {
        all_.forget(jobs_[i]);
        ++jobs_[i].ends;
        ++ended_;
        continue;
      }
      const std::lock_guard lock(lane == Lane::kCpu ? cpu_mutex_ : gpu_mutex_);
      all_.put(jobs_[i]);
    }
  }

  void run_on_cpu() {
    while (ended_ < jobs_.size()) {
      Job* job = nullptr;
      {
        const std::lock_guard lock(cpu_mutex_);
        job = all_.take_for_cpu();
      }
      if (job == nullptr) {
        const std::lock_guard lock(gpu_mutex_);
        job = all_.steal_for_cpu(now_);
      }
      if (job == nullptr) continue;
      all_.cpu_done(job->cost.cpu);
      end(*job);
    }
  }

  void run_on_gpu() {
    std::vector<Job*> batch;
    while (ended_ < jobs_.size()) {
      now_ = now_ + 1;
      {
        const std::lock_guard lock(gpu_mutex_);
        const BatchClaim claim = all_.take_batch(now_, batch);
        if (!batch.empty()) all_.batch_done(claim, now_);
      }
      for (Job* job : batch) end(*job);
    }
  }

  void end(Job& job) {
    ++static_cast<StubJob&>(job).ends;
    ++ended_;
  }

  StubWork work_{4};
  std::deque<StubJob> jobs_;
  JobQueues all_{settings(), 2, true};
  std::mutex cpu_mutex_;
  std::mutex gpu_mutex_;
  std::atomic<Micros> now_ = 0;
  std::atomic<std::size_t> ended_ = 0;
};

TEST_F(SharedQueuesTest, EachJobIsTakenOnceAndLoadsAreCountedExactly) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kCallers; ++i) threads.emplace_back([this, i] { submit(i); });
  for (int i = 0; i < 2; ++i) threads.emplace_back([this] { run_on_cpu(); });
  threads.emplace_back([this] { run_on_gpu(); });
  threads.clear();
  for (const StubJob& job : jobs_) ASSERT_EQ(job.ends, 1);
  EXPECT_EQ(all_.size(), 0U);
  EXPECT_EQ(all_.queued_cpu_work(), 0);
  const Waits waits = all_.waits(now_ + 1e9);
  EXPECT_EQ(waits.cpu, 0);
  EXPECT_EQ(waits.gpu, 0);
}

// What callers placed on the GPU before they knew that it has been given up.
TEST_F(SharedQueuesTest, WhatComesForAGpuThatIsGivenUpGoesToTheCpu) {
  StubJob& early = jobs_[0];
  StubJob& late = jobs_[1];
  for (StubJob* job : {&early, &late}) {
    job->cost = {1'000, 50, 10, true, 40};
    ASSERT_EQ(all_.place(*job, 0), Lane::kGpu);
  }
  all_.put(early);
  all_.give_up_gpu();
  EXPECT_EQ(all_.next_batch_time(), kNever);
  all_.place_again(0);
  EXPECT_EQ(all_.for_cpu(), 1U);
  all_.put(late);
  EXPECT_EQ(all_.for_gpu(), 1U);
  all_.place_again(0);
  EXPECT_EQ(all_.for_gpu(), 0U);
  EXPECT_EQ(all_.size(Lane::kGpu), 0U);
  EXPECT_EQ(all_.queued_cpu_work(), 2'000);
}

}  // namespace
}  // namespace warpdex
