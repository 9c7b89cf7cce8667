// The queues by a clock of the test's own: order, shares, batches, stealing, and what follows the
// load.
#include "queues/job_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

#include "tests/scheduler/job_queues_fixture.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using test::JobQueuesTest;
using test::StubJob;
using test::StubWork;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_F(JobQueuesTest, JobsGoWhereTheyAreFaster) {
  JobQueues all = queues();
  add(all, for_gpu(), 0);
  add(all, for_cpu(), 0);
  EXPECT_EQ(all.size(Lane::kGpu), 1U);
  EXPECT_EQ(all.size(Lane::kCpu), 1U);
  JobCost cost = for_gpu();
  cost.gpu_can = false;
  add(all, cost, 0);
  EXPECT_EQ(all.size(Lane::kCpu), 2U);
}

// The CPU gets what it is faster for, by how busy it is.
TEST_F(JobQueuesTest, TheCpuMustBePredictedToBeFaster) {
  JobQueues all = queues();
  const auto lane_at = [&](float cpu, float idle_cpu) {
    StubJob& job = add(all, {cpu, 60, 20, true, 40, idle_cpu / cpu}, 0);
    const auto lane = static_cast<Lane>(job.place.lane);
    all.remove(job);
    return lane;
  };
  // Nothing is under way: whichever is faster, by what it takes then.
  EXPECT_EQ(lane_at(100, 61), Lane::kGpu);
  EXPECT_EQ(lane_at(100, 59), Lane::kCpu);
  run_on_cpu(all, 2);  // half of the threads: the mean of both
  EXPECT_EQ(lane_at(70, 52), Lane::kGpu);
  EXPECT_EQ(lane_at(70, 48), Lane::kCpu);
  run_on_cpu(all, 2);  // all
  EXPECT_EQ(lane_at(61, 10), Lane::kGpu);
  EXPECT_EQ(lane_at(59, 10), Lane::kCpu);
}

TEST_F(JobQueuesTest, WhatTheCpuMayNotFinishInTimeIsTheGpus) {
  JobQueues all = queues();
  for (int i = 0; i < 500; ++i) add(all, for_gpu(200), 0);  // the GPU is loaded
  const JobCost cost{5'000, 240, 200, true};
  EXPECT_EQ(add(all, cost, 0, 100'000).place.lane, static_cast<int>(Lane::kCpu));
  EXPECT_EQ(add(all, cost, 0, 4'900).place.lane, static_cast<int>(Lane::kGpu));
}

// However cheap it is in a batch: it is done sooner, and takes nothing from the GPU.
TEST_F(JobQueuesTest, ShortJobsGoToTheCpuWhileThreadsAreFree) {
  JobQueues all = queues();
  for (int i = 0; i < 100; ++i) add(all, for_gpu(), 0);
  const JobCost cost{20, 60, 0.5F, true, 55};
  EXPECT_EQ(add(all, cost, 0).place.lane, static_cast<int>(Lane::kCpu));
  for (int i = 0; i < 100; ++i) add(all, {1'000, 0, 0, false}, 0);
  EXPECT_EQ(add(all, cost, 0).place.lane, static_cast<int>(Lane::kGpu));
}

TEST_F(JobQueuesTest, JobsWaitLongerForFewerCpuThreads) {
  JobQueues all = queues();
  for (int i = 0; i < 8; ++i) add(all, {100, 0, 0, false}, 0);
  EXPECT_EQ(all.waits(0).cpu, 800 / 4);
  all.use_cpu_threads(1);
  EXPECT_EQ(all.waits(0).cpu, 800);
  all.use_cpu_threads(9);
  EXPECT_EQ(all.waits(0).cpu, 0);  // a thread for each
}

TEST_F(JobQueuesTest, TheCpuStealsWhatRelievesTheGpuMost) {
  JobQueues all = queues();
  for (int i = 0; i < 100; ++i) add(all, for_gpu(300), 0);
  for (const JobCost& cost : {JobCost{900, 50, 3, true}, JobCost{1'000, 340, 300, true}}) {
    // Added while the CPU is busy for long, so they wait for the GPU.
    std::vector<Job*> busy;
    for (int i = 0; i < 4; ++i) add(all, {1e9F, 0, 0, false}, 0);
    while (Job* const job = all.take_for_cpu()) busy.push_back(job);
    add(all, cost, 0);
    for (const Job* job : busy) all.cpu_done(job->cost.cpu);
  }
  const Job* const stolen = all.steal_for_cpu(0);
  ASSERT_NE(stolen, nullptr);
  EXPECT_EQ(stolen->cost.cpu, 1'000);  // 300 us less for the GPU, rather than 3
}

TEST_F(JobQueuesTest, ThresholdsFollowTheLoad) {
  JobQueues all = queues();
  const JobCost cost{200, 60, 20, true};  // the GPU's while nothing waits
  EXPECT_EQ(add(all, cost, 0).place.lane, static_cast<int>(Lane::kGpu));
  for (int i = 0; i < 500; ++i) add(all, for_gpu(200), 0);
  EXPECT_EQ(add(all, cost, 0).place.lane, static_cast<int>(Lane::kCpu));
  for (int i = 0; i < 5'000; ++i) add(all, for_cpu(300), 0);
  EXPECT_GT(all.waits(0).cpu, 10'000);
  EXPECT_EQ(add(all, cost, 0).place.lane, static_cast<int>(Lane::kGpu));
}

TEST_F(JobQueuesTest, EarlierDeadlinesAndThenShorterJobsComeFirst) {
  JobQueues all = queues();
  Job& late = add(all, for_cpu(1), 0, 500'000);
  Job& long_one = add(all, for_cpu(9), 0, 100'000);
  Job& short_one = add(all, for_cpu(3), 0, 101'000);  // in the same slot
  Job& without = add(all, for_cpu(1), 0);
  for (Job* wanted : {&short_one, &long_one, &late, &without}) {
    EXPECT_EQ(all.take_for_cpu(), wanted);
  }
  EXPECT_EQ(all.take_for_cpu(), nullptr);
}

// What the GPU answers far later than a CPU thread waits for the CPU, though all threads are busy.
TEST_F(JobQueuesTest, ABusyCpuKeepsWhatTheGpuIsSlowerFor) {
  settings_.batch_min_work = 1'000;
  JobQueues all = queues();
  run_on_cpu(all, 4);
  add(all, {500, 5'000, 300, true, 4'700}, 0);
  add(all, {500, 5'000, 4'000, true, 1'000}, 0);
  EXPECT_EQ(all.size(Lane::kCpu), 2U);
}

// Three times its CPU cost is compared with a batch's time and a quarter of the wait for the GPU.
TEST_F(JobQueuesTest, ARunThatMayBecomeLongGoesToTheGpu) {
  settings_.batch_min_work = 1'000;
  settings_.huge_work = 10'000;
  JobQueues all = queues();
  add(all, for_gpu(1'960), 0);
  EXPECT_EQ(batch(all, 0).size(), 1U);
  EXPECT_EQ(all.waits(0).gpu, 2'000);
  const auto lane_of = [&](float cpu) {
    return Lane{add(all, {cpu, 400, 300, true, 100}, 0).place.lane};
  };
  EXPECT_EQ(lane_of(510), Lane::kGpu);  // 1,530 of 1,000 + 500
  EXPECT_EQ(all.waits(0).gpu, 2'300);
  EXPECT_EQ(lane_of(520), Lane::kCpu);  // 1,560 of 1,000 + 575
}

// The GPU is busy for long: a CPU thread takes what it is done with before.
TEST_F(JobQueuesTest, AnIdleCpuThreadSteals) {
  JobQueues all = queues();
  Job& stealable = add(all, {400, 340, 300, true, 40}, 3);
  for (int i = 0; i < 7; ++i) add(all, for_gpu(300), 3);
  EXPECT_EQ(all.size(Lane::kGpu), 8U);
  EXPECT_EQ(all.take_for_cpu(), nullptr);
  EXPECT_EQ(all.steal_for_cpu(3), &stealable);
  EXPECT_EQ(all.size(Lane::kGpu), 7U);
  EXPECT_EQ(all.steal_for_cpu(3), nullptr);  // a second each would be later
}

TEST_F(JobQueuesTest, WhatWasRemovedIsNotStolen) {
  JobQueues others = queues();
  std::vector<StubJob*> stealable;
  for (int i = 0; i < 4; ++i) stealable.push_back(&add(others, {400, 340, 300, true, 40}, 3));
  for (int i = 0; i < 4; ++i) add(others, for_gpu(300), 3);
  for (const std::size_t i : {0, 1, 3}) others.remove(*stealable[i]);
  EXPECT_EQ(others.steal_for_cpu(3), stealable[2]);
  EXPECT_EQ(others.steal_for_cpu(3), nullptr);
}

TEST_F(JobQueuesTest, BatchesCloseByWorkOrByTheWaitOfTheOldest) {
  settings_.batch_min_work = 100;
  settings_.batch_wait_part = 4;
  settings_.batches = 2;
  JobQueues all = queues();
  add(all, for_gpu(), 0);
  EXPECT_EQ(batch(all, 0).size(), 1U);  // nothing is under way
  add(all, for_gpu(), 10);
  EXPECT_TRUE(batch(all, 11).empty());
  EXPECT_EQ(all.next_batch_time(), 10 + 4 * 42);  // 42 us are under way
  for (int i = 0; i < 49; ++i) add(all, for_gpu(), 20);
  EXPECT_EQ(batch(all, 21).size(), 50U);  // its work suffices
  const BatchClaim first = claim_;
  add(all, for_gpu(), 30);
  EXPECT_TRUE(batch(all, 5'000).empty());  // two are under way
  EXPECT_EQ(all.next_batch_time(), kNever);
  all.batch_done(first, 5'000);
  EXPECT_EQ(batch(all, 5'000).size(), 1U);  // it has waited
}

// However long those under way are predicted to take.
TEST_F(JobQueuesTest, ABatchWaitsNoLongerThanAllowed) {
  settings_.batch_min_work = 10'000;
  settings_.batch_wait_part = 0.25;
  settings_.batch_wait = 300;
  settings_.huge_work = 10'000;
  JobQueues all = queues();
  add(all, for_gpu(960), 0);
  EXPECT_EQ(batch(all, 0).size(), 1U);  // 1,000 us
  add(all, for_gpu(360), 20);
  EXPECT_EQ(all.next_batch_time(), 20 + 250);
  EXPECT_TRUE(batch(all, 269).empty());
  EXPECT_EQ(batch(all, 270).size(), 1U);  // 400 us more
  add(all, for_gpu(), 280);
  EXPECT_EQ(all.next_batch_time(), 280 + 300);
  EXPECT_TRUE(batch(all, 579).empty());
  EXPECT_EQ(batch(all, 580).size(), 1U);
}

TEST_F(JobQueuesTest, ABatchHasNoMoreJobsOrWorkThanAllowed) {
  settings_.batch_jobs = 10;
  settings_.batch_max_work = 100;
  JobQueues all = queues();
  for (int i = 0; i < 25; ++i) add(all, for_gpu(1), 0);
  EXPECT_EQ(batch(all, 0).size(), 10U);
  all.batch_done(claim_, 0);
  for (int i = 0; i < 25; ++i) add(all, for_gpu(30), 0, 1);  // before the others
  EXPECT_EQ(batch(all, 0).size(), 3U);
}

TEST_F(JobQueuesTest, EarlierDeadlinesAndShorterJobsGoIntoTheFirstBatches) {
  settings_.placement = Placement::kGpuOnly;
  settings_.batch_jobs = 37;
  std::mt19937_64 random = test::generator(844);
  JobQueues all = queues();
  using Order = std::pair<std::int64_t, float>;
  std::vector<Order> wanted;
  for (int i = 0; i < 300; ++i) {
    const float share = 1 + static_cast<float>(random() % 40);
    const Job& job = add(all, for_gpu(share), 0, static_cast<double>(random() % 50'000));
    wanted.emplace_back(job.place.slot, share);
  }
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t done = 0; done < wanted.size(); done += settings_.batch_jobs) {
    std::vector<Order> taken;
    for (const Job* job : batch(all, 0)) taken.emplace_back(job->place.slot, job->place.length);
    std::sort(taken.begin(), taken.end());
    const auto first = wanted.begin() + static_cast<std::ptrdiff_t>(done);
    const std::size_t jobs = std::min(settings_.batch_jobs, wanted.size() - done);
    EXPECT_EQ(taken, std::vector<Order>(first, first + static_cast<std::ptrdiff_t>(jobs)));
    all.batch_done(claim_, 0);
  }
}

TEST_F(JobQueuesTest, AHugeJobIsAloneAndHoldsNobodyUp) {
  settings_.placement = Placement::kGpuOnly;
  JobQueues all = queues();
  Job& huge = add(all, for_gpu(50'000), 0, 1);
  Job& other_huge = add(all, for_gpu(50'000), 0, 20'000);
  for (int i = 0; i < 5; ++i) add(all, for_gpu(), 0);
  EXPECT_EQ(batch(all, 0).size(), 5U);
  const BatchClaim usual = claim_;
  EXPECT_EQ(batch(all, 0), std::vector<Job*>{&huge});
  const BatchClaim of_huge = claim_;
  EXPECT_TRUE(batch(all, 0).empty());  // one huge job at a time
  for (int i = 0; i < 5; ++i) add(all, for_gpu(), 0);
  all.batch_done(usual, 1'000);
  EXPECT_EQ(batch(all, 1'000).size(), 5U);
  all.batch_done(of_huge, 50'000);
  EXPECT_EQ(batch(all, 50'000), std::vector<Job*>{&other_huge});
}

TEST_F(JobQueuesTest, BatchesAreOfOneClass) {
  JobQueues all = queues();
  StubWork other(4);
  for (int i = 0; i < 6; ++i) add(all, for_gpu(), 0).work_class = i % 2 == 0 ? &work_ : &other;
  std::size_t jobs = 0;
  while (jobs < 6) {
    const std::vector<Job*> taken = batch(all, 1e6);
    ASSERT_FALSE(taken.empty());
    for (const Job* job : taken) EXPECT_EQ(job->work_class, taken[0]->work_class);
    jobs += taken.size();
    all.batch_done(claim_, 1e6);
  }
}

TEST_F(JobQueuesTest, JobsCanBeTakenOutWhereverTheyAre) {
  std::mt19937_64 random = test::generator(841);
  JobQueues all = queues();
  std::vector<StubJob*> left;
  for (int i = 0; i < 300; ++i) {
    const JobCost cost = i % 3 == 0 ? for_gpu(static_cast<float>(random() % 5'000))
                                    : for_cpu(static_cast<float>(random() % 50));
    left.push_back(&add(all, cost, i, 1'000.0 * static_cast<double>(random() % 100)));
  }
  std::shuffle(left.begin(), left.end(), random);
  while (left.size() > 100) {
    all.remove(*left.back());
    left.pop_back();
  }
  EXPECT_EQ(all.size(), 100U);
  all.give_up_gpu();
  all.place_again(0);
  EXPECT_EQ(all.size(Lane::kCpu), 100U);
  EXPECT_TRUE(batch(all, 1e9).empty());
  std::set<Job*> taken;
  std::int64_t slot = 0;
  while (Job* const job = all.take_for_cpu()) {
    EXPECT_GE(job->place.slot, slot);
    slot = job->place.slot;
    taken.insert(job);
  }
  EXPECT_EQ(taken, std::set<Job*>(left.begin(), left.end()));
  EXPECT_EQ(all.waits(1e9).gpu, 0);
}

}  // namespace
}  // namespace warpdex
