// Jobs of any class: each ends once, and a class without a GPU is the CPU's.
#include "warpdex/scheduler/job_scheduler.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "run/arrival_rate.hpp"
#include "tests/scheduler/stub_work.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using test::StubJob;
using test::StubWork;

SchedulerSettings two_threads() {
  SchedulerSettings settings;
  settings.cpu_threads = 2;
  return settings;
}

void wait_for(const StubJob& job) {
  while (job.ends.load() == 0) std::this_thread::yield();
}

/// Runs of the class last while `is_held`.
void hold_runs(StubWork& work, const std::atomic<bool>& is_held) {
  work.run = [&is_held](StubJob&, SearchWatch&) {
    while (is_held) std::this_thread::yield();
    return true;
  };
}

/// Runs until it is stopped.
bool run_for_ever(StubJob&, SearchWatch& watch) {
  while (watch.goes_on()) std::this_thread::yield();
  return false;
}

TEST(JobSchedulerTest, EachJobOfManyThreadsEndsOnce) {
  StubWork with_gpu(4);
  StubWork without_gpu(0);
  std::vector<WorkClass*> classes{&with_gpu, &without_gpu};
  std::deque<StubJob> jobs;
  for (int i = 0; i < 8'000; ++i) {
    const bool has_gpu = i % 3 != 0;
    StubJob& job = jobs.emplace_back(has_gpu ? with_gpu : without_gpu);
    job.wanted = {.cpu = static_cast<float>(1 + i % 50),
                  .gpu_alone = 20,
                  .gpu_share = static_cast<float>(1 + i % 7),
                  .gpu_can = has_gpu};
  }
  {
    JobScheduler scheduler(classes, two_threads());
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < 8; ++client) {
      clients.emplace_back([&, client] {
        for (std::size_t i = client; i < jobs.size(); i += 8) scheduler.submit(jobs[i]);
      });
    }
    for (std::thread& client : clients) client.join();
    for (const StubJob& job : jobs) wait_for(job);
    const SchedulerStatistics statistics = scheduler.statistics();
    EXPECT_EQ(statistics.complete_on_cpu + statistics.complete_on_gpu, jobs.size());
    EXPECT_EQ(statistics.latencies.count, jobs.size());
  }
  for (const StubJob& job : jobs) {
    ASSERT_EQ(job.ends, 1);
    ASSERT_EQ(job.ended, JobEnd::kComplete);
    if (job.work_class == &without_gpu) {
      ASSERT_EQ(job.processor, Processor::kCpu);
    }
  }
}

double own_processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

TEST(JobSchedulerTest, StatisticsTellWhereProcessorTimeGoes) {
  StubWork work(4);
  work.run = [](StubJob&, SearchWatch&) {
    const double end = own_processor_time() + 1e-4;
    while (own_processor_time() < end) {
    }
    return true;
  };
  WorkClass* const classes[] = {&work};
  JobScheduler scheduler(classes, two_threads());
  std::deque<StubJob> jobs;
  for (int i = 0; i < 200; ++i) {
    const bool is_for_gpu = i % 2 == 0;
    StubJob& job = jobs.emplace_back(work);
    job.wanted = {is_for_gpu ? 1e6F : 1.0F, 50, 5, is_for_gpu};
    scheduler.submit(job);
  }
  for (const StubJob& job : jobs) wait_for(job);
  const SchedulerStatistics statistics = scheduler.statistics();
  const ProcessorTimes& times = statistics.processors;
  const double runs = static_cast<double>(statistics.complete_on_cpu) * 1e-4;
  EXPECT_GE(statistics.complete_on_cpu, 100U);
  EXPECT_EQ(times.cpu_threads.threads, 2U);
  EXPECT_GE(times.cpu_threads.busy, runs);
  EXPECT_GE(times.cpu_runs, runs);
  EXPECT_GT(times.cpu_queue, 0);
  EXPECT_GT(times.gpu_queue, 0);
  EXPECT_GE(times.cpu_threads.waiting, 0);
  EXPECT_EQ(times.gpu_thread.threads, 1U);
  EXPECT_GT(times.gpu_thread.busy, 0);
  EXPECT_GE(times.deliverers.threads, 1U);
  if (statistics.complete_on_gpu > 0) {
    EXPECT_GT(times.starts, 0);
    EXPECT_GT(times.ends, 0);
    EXPECT_GT(times.deliveries, 0);
  }
}

TEST(JobSchedulerTest, ARunIsStoppedByCancellationOrItsDeadline) {
  StubWork work(0);
  work.run = run_for_ever;
  WorkClass* const classes[] = {&work};
  JobScheduler scheduler(classes, two_threads());
  StubJob job(work);
  job.wanted.cpu = 5;
  scheduler.submit(job);
  EXPECT_TRUE(scheduler.cancel(job, 0));
  wait_for(job);
  EXPECT_EQ(job.ended, JobEnd::kCancelled);
  EXPECT_FALSE(scheduler.cancel(job, 0));
  job.ends = 0;
  job.options.deadline = std::chrono::microseconds(1'000);
  job.options.overload = OverloadPolicy::kPartial;
  scheduler.submit(job);
  wait_for(job);
  EXPECT_EQ(job.ended, JobEnd::kPartial);
}

// The first job holds both threads' time past the deadlines of the others: none of them runs.
TEST(JobSchedulerTest, NoRunStartsAfterTheDeadline) {
  StubWork work(0);
  std::atomic<bool> is_held = true;
  std::atomic<int> runs = 0;
  work.run = [&](StubJob&, SearchWatch&) {
    ++runs;
    while (is_held) std::this_thread::yield();
    return true;
  };
  WorkClass* const classes[] = {&work};
  JobScheduler scheduler(classes, two_threads());
  std::deque<StubJob> jobs;
  for (int i = 0; i < 2; ++i) {
    StubJob& job = jobs.emplace_back(work);
    job.wanted.cpu = 60;  // it does not ask the watch
    scheduler.submit(job);
  }
  while (runs < 2) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    StubJob& job = jobs.emplace_back(work);
    job.options.overload = i % 2 == 0 ? OverloadPolicy::kPartial : OverloadPolicy::kRefuse;
    job.options.deadline = std::chrono::microseconds(2'000);
    scheduler.submit(job);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  is_held = false;
  for (const StubJob& job : jobs) wait_for(job);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(work.nothings, 10);
  for (std::size_t i = 2; i < jobs.size(); ++i) {
    EXPECT_EQ(jobs[i].ended, i % 2 == 0 ? JobEnd::kPartial : JobEnd::kRefused) << i;
  }
}

TEST(JobSchedulerTest, WhatARunThrowsIsTheJobsFailure) {
  StubWork work(0);
  work.run = [](StubJob&, SearchWatch&) -> bool { throw FormatError("a damaged list"); };
  WorkClass* const classes[] = {&work};
  JobScheduler scheduler(classes, two_threads());
  StubJob job(work);
  scheduler.submit(job);
  wait_for(job);
  EXPECT_EQ(job.ended, JobEnd::kFailed);
  EXPECT_THROW(std::rethrow_exception(job.failure), FormatError);
}

// Its thread counts as one that looks out, until it is clear that it does not.
TEST(JobSchedulerTest, ALongRunThatWasPredictedToBeShortHoldsNobodyUp) {
  StubWork work(0);
  std::atomic<bool> is_held = true;
  work.run = [&](StubJob& job, SearchWatch& watch) {
    while (job.wanted.cpu < 2 && is_held) {
      if (!watch.goes_on()) return false;
      std::this_thread::yield();
    }
    return true;
  };
  WorkClass* const classes[] = {&work};
  JobScheduler scheduler(classes, two_threads());
  for (int round = 0; round < 20; ++round) {
    is_held = true;
    StubJob held(work);
    held.wanted.cpu = 1;
    StubJob other(work);
    other.wanted.cpu = 2;
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(8));  // all sleep
    scheduler.submit(held);
    while (round % 3 == 0 && held.state != Job::State::kRunning) std::this_thread::yield();
    scheduler.submit(other);
    wait_for(other);
    EXPECT_EQ(held.ends, 0);
    is_held = false;
    wait_for(held);
  }
}

TEST(JobSchedulerTest, JobsInCloseSuccessionAreWaitedForInNaps) {
  ArrivalRate rate;
  EXPECT_EQ(rate.nap(100, 10'000).count(), 0);
  EXPECT_EQ(rate.nap(200, 10'500).count(), 0);  // too soon for another look
  EXPECT_EQ(rate.nap(600, 12'000).count(), 50);
  EXPECT_EQ(rate.nap(600, 12'500).count(), 50);
  EXPECT_EQ(rate.nap(700, 14'000).count(), 0);
}

TEST(JobSchedulerTest, ACallerMayWaitForRoom) {
  StubWork work(0);
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings = two_threads();
  settings.capacity = 2;
  JobScheduler scheduler(classes, settings);
  std::deque<StubJob> jobs;
  for (int i = 0; i < 2'000; ++i) jobs.emplace_back(work).wanted.cpu = 1;
  std::vector<std::thread> clients;
  for (std::size_t client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      for (std::size_t i = client; i < jobs.size(); i += 4) scheduler.submit(jobs[i]);
    });
  }
  for (std::thread& client : clients) client.join();
  for (const StubJob& job : jobs) wait_for(job);
  EXPECT_EQ(scheduler.statistics().refused, 0U);
}

// Callers that are refused take no room, not even for a moment in which one that waits looks.
TEST(JobSchedulerTest, CallersThatAreRefusedDoNotHoldUpOneThatWaits) {
  StubWork work(0);
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings = two_threads();
  settings.capacity = 1;
  JobScheduler scheduler(classes, settings);
  std::atomic<bool> is_over = false;
  std::vector<std::thread> refused;
  for (int i = 0; i < 3; ++i) {
    refused.emplace_back([&] {
      while (!is_over) {
        StubJob job(work);
        job.options.overload = OverloadPolicy::kRefuse;
        scheduler.submit(job);
        wait_for(job);
        std::this_thread::yield();
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    StubJob job(work);
    scheduler.submit(job);
    wait_for(job);
    EXPECT_EQ(job.ended, JobEnd::kComplete);
  }
  is_over = true;
  for (std::thread& one : refused) one.join();
}

// An empty answer that cannot be made is a failure of its job, whether there is no room or no time.
TEST(JobSchedulerTest, AnEmptyAnswerThatCannotBeMadeIsAFailure) {
  StubWork work(0);
  work.nothing_fails = true;
  std::atomic<bool> is_held = true;
  hold_runs(work, is_held);
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings = two_threads();
  settings.capacity = 1;
  JobScheduler scheduler(classes, settings);
  StubJob late(work);
  late.wanted.cpu = 1e6F;
  late.options = {.deadline = std::chrono::microseconds(10), .overload = OverloadPolicy::kPartial};
  scheduler.submit(late);
  EXPECT_EQ(late.ends, 1);
  EXPECT_EQ(late.ended, JobEnd::kFailed);
  StubJob first(work);
  scheduler.submit(first);
  StubJob without_room(work);
  without_room.options.overload = OverloadPolicy::kPartial;
  scheduler.submit(without_room);
  EXPECT_EQ(without_room.ends, 1);
  EXPECT_EQ(without_room.ended, JobEnd::kFailed);
  EXPECT_THROW(std::rethrow_exception(without_room.failure), Error);
  is_held = false;
  wait_for(first);
}

TEST(JobSchedulerTest, SettingsAreChecked) {
  StubWork work(0);
  WorkClass* const classes[] = {&work};
  const auto expect_refused = [&](const auto& change) {
    SchedulerSettings settings = two_threads();
    change(settings);
    EXPECT_THROW(JobScheduler(classes, settings), UsageError);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {0.0F, -1.0F, nan}) {
    expect_refused([&](SchedulerSettings& settings) { settings.placement.batch_wait = value; });
  }
  expect_refused([](SchedulerSettings& one) { one.limited_run = std::chrono::microseconds(0); });
  expect_refused([](SchedulerSettings& one) { one.spin = std::chrono::microseconds(-1); });
  SchedulerSettings least = two_threads();
  least.spin = {};
  EXPECT_NO_THROW(JobScheduler(classes, least));
}

TEST(JobSchedulerTest, AFullClientDoesNotKeepOthersOut) {
  StubWork work(0);
  std::atomic<bool> is_held = true;
  hold_runs(work, is_held);
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings = two_threads();
  settings.capacity = 10;
  settings.placement.client_weights = {1, 1};
  JobScheduler scheduler(classes, settings);
  std::deque<StubJob> jobs;
  std::size_t refused_of[2] = {0, 0};
  for (std::size_t i = 0; i < 30; ++i) {
    StubJob& job = jobs.emplace_back(work);
    job.options.client = i < 20 ? 0 : 1;
    job.options.overload = OverloadPolicy::kRefuse;
    scheduler.submit(job);
    if (job.ends > 0) ++refused_of[job.options.client];
  }
  EXPECT_EQ(refused_of[0], 10U);  // it has all the room there is
  EXPECT_EQ(refused_of[1], 5U);   // its share is let in nevertheless
  is_held = false;
  for (const StubJob& job : jobs) wait_for(job);
}

}  // namespace
}  // namespace warpdex
