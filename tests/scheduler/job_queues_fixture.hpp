// Queues with settings, jobs and a clock of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "queues/job_queues.hpp"
#include "tests/scheduler/stub_work.hpp"

namespace warpdex::test {

class JobQueuesTest : public testing::Test {
 protected:
  JobQueues queues(std::size_t cpu_threads = 4) { return {settings_, cpu_threads, true}; }

  /// Far cheaper on the GPU or the CPU.
  static JobCost for_gpu(float share = 2) { return {1e6F, 40 + share, share, true, 40}; }
  static JobCost for_cpu(float cpu = 5) { return {cpu, 400, 300, true}; }

  StubJob& add(JobQueues& queues, const JobCost& cost, Micros now, Micros deadline = kNever,
               std::uint32_t client = 0) {
    StubJob& job = jobs_.emplace_back(work_);
    job.cost = cost;
    job.arrival = now;
    job.deadline = deadline;
    job.options.client = client;
    queues.push(job, now);
    return job;
  }
  /// Has so many CPU threads run jobs of next to no work.
  void run_on_cpu(JobQueues& queues, int threads) {
    for (int i = 0; i < threads; ++i) {
      add(queues, {0.1F, 0, 0, false}, 0);
      ASSERT_NE(queues.take_for_cpu(), nullptr);
    }
  }
  static std::vector<Job*> batch(JobQueues& queues, Micros now) {
    std::vector<Job*> jobs;
    claim_ = queues.take_batch(now, jobs);
    return jobs;
  }

  static inline BatchClaim claim_;
  PlacementSettings settings_;
  StubWork work_{4};
  std::deque<StubJob> jobs_;
};

}  // namespace warpdex::test
