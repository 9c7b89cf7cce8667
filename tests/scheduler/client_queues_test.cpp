// The shares of several clients in the queues.
#include <algorithm>
#include <random>
#include <vector>

#include "tests/scheduler/job_queues_fixture.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using test::JobQueuesTest;
using test::StubJob;

class ClientQueues : public JobQueuesTest {};

// Two clients that always have work, one with three times the weight of the other, and a third that
// comes late and gets no credit for the time before.
TEST_F(ClientQueues, ClientsGetWorkDoneByTheirWeights) {
  settings_.client_weights = {3, 1, 4};
  JobQueues all = queues(1);
  double served[3] = {0, 0, 0};
  test::StubWork none(0);
  std::mt19937_64 random = test::generator(840);
  const auto run = [&](std::uint32_t clients, int jobs) {
    std::fill(served, served + 3, 0);
    for (int i = 0; i < jobs; ++i) {
      for (std::uint32_t client = 0; client < clients; ++client) {
        JobCost cost = for_cpu(1 + static_cast<float>(random() % 30));
        cost.gpu_can = false;
        add(all, cost, i, kNever, client);
      }
      Job* const job = all.take_for_cpu();
      served[job->options.client] += static_cast<double>(job->cost.cpu);
      all.cpu_done(job->cost.cpu);
    }
  };
  run(2, 4'000);
  EXPECT_NEAR(served[0] / served[1], 3, 0.1);
  run(3, 4'000);
  EXPECT_NEAR(served[2] / served[0], 4.0 / 3, 0.1);
  EXPECT_NEAR(served[0] / served[1], 3, 0.1);
}

// One client's jobs are for the GPU and large, another's for the CPU and small. A third that comes
// just after a small one was served shares the GPU with the first from the start.
TEST_F(ClientQueues, WorkFromOneQueueGivesNoCreditInAnother) {
  settings_.client_weights = {1, 1, 1};
  settings_.batch_jobs = 10;
  JobQueues all = queues(1);
  const auto add_for_gpu = [&](std::uint32_t client) {
    for (int i = 0; i < 10; ++i) add(all, for_gpu(400), 0, kNever, client);
  };
  for (int round = 0; round < 100; ++round) {
    add_for_gpu(0);
    ASSERT_EQ(batch(all, 1e6).size(), 10U);
    all.batch_done(claim_, 1e6);
    add(all, for_cpu(), 0, kNever, 1);
    all.cpu_done(all.take_for_cpu()->cost.cpu);
  }
  std::size_t served[3] = {0, 0, 0};
  for (int round = 0; round < 20; ++round) {
    add_for_gpu(0);
    add_for_gpu(2);
    for (const Job* job : batch(all, 1e6)) ++served[job->options.client];
    all.batch_done(claim_, 1e6);
  }
  EXPECT_EQ(served[0], 100U);
  EXPECT_EQ(served[2], 100U);
}

TEST_F(ClientQueues, WhatGoesBackIsNotChargedTwice) {
  settings_.client_weights = {1, 1};
  JobQueues all = queues(1);
  StubJob& first = add(all, {100, 0, 0, false}, 0, kNever, 0);
  ASSERT_EQ(all.take_for_cpu(), &first);
  all.cpu_done(first.cost.cpu);
  all.take_back(first);
  all.push(first, 0);
  add(all, {100, 0, 0, false}, 0, kNever, 1);
  EXPECT_EQ(all.take_for_cpu(), &first);  // both clients have had nothing done
}

}  // namespace
}  // namespace warpdex
