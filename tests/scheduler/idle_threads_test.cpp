// Threads that wait for work: who may spin, who may be awake, and that no work is missed.
#include "run/idle_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "tests/scheduler/stub_work.hpp"
#include "tests/support.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/scheduler/job_scheduler.hpp"

namespace warpdex {
namespace {

constexpr std::chrono::microseconds kLong{60'000'000};
constexpr std::chrono::microseconds kNone{0};

TEST(IdleThreadsTest, AThreadThatMayNotSpinSleepsAtOnce) {
  IdleThreads threads(1, 1);
  std::atomic<bool> has_work = false;
  std::jthread waits([&] {
    while (!has_work) {
      threads.wait(
          0, [&] { return has_work.load(); }, [] { return false; }, kLong, kNone);
    }
  });
  while (threads.sleepers() == 0) std::this_thread::yield();
  EXPECT_FALSE(threads.has_lookout());
  has_work = true;
  threads.bring_work();
}

TEST(IdleThreadsTest, AThreadThatNoLongerMaySpinGoesToSleep) {
  IdleThreads threads(1, 1);
  std::atomic<bool> may_spin = true;
  std::atomic<bool> has_work = false;
  std::jthread waits([&] {
    while (!has_work) {
      threads.wait(
          0, [&] { return has_work.load(); }, [&] { return may_spin.load(); }, kLong, kNone);
    }
  });
  while (!threads.has_lookout()) std::this_thread::yield();
  EXPECT_EQ(threads.sleepers(), 0U);
  may_spin = false;
  while (threads.sleepers() == 0) std::this_thread::yield();
  EXPECT_FALSE(threads.has_lookout());
  has_work = true;
  threads.bring_work();
}

TEST(IdleThreadsTest, TheThreadThatHasSleptLeastIsWokenFirst) {
  IdleThreads threads(3, 1);
  std::atomic<int> woken = -1;
  std::vector<std::jthread> sleep;
  for (int i = 0; i < 3; ++i) {
    sleep.emplace_back([&, i] {
      threads.wait(
          static_cast<std::size_t>(i), [] { return false; }, [] { return false; }, kLong, kNone);
      woken = i;
    });
    while (threads.sleepers() <= static_cast<std::size_t>(i)) std::this_thread::yield();
  }
  for (int i = 2; i >= 0; --i) {
    threads.bring_work();
    while (woken == -1) std::this_thread::yield();
    EXPECT_EQ(woken.exchange(-1), i);
  }
  EXPECT_FALSE(threads.wake_one());
}

TEST(IdleThreadsTest, NoMoreAreWokenThanMayBeAwake) {
  IdleThreads threads(3, 1);
  std::atomic<int> woken = 0;
  std::vector<std::jthread> sleep;
  for (std::size_t i = 0; i < 3; ++i) {
    sleep.emplace_back([&, i] {
      threads.wait(
          i, [] { return false; }, [] { return false; }, kLong, kNone);
      ++woken;
    });
  }
  while (threads.sleepers() < 3) std::this_thread::yield();
  threads.set_max_awake(2);
  EXPECT_TRUE(threads.wake_one());
  EXPECT_TRUE(threads.wake_one());
  EXPECT_FALSE(threads.wake_one());
  EXPECT_EQ(threads.sleepers(), 1U);
  threads.set_max_awake(3);
  EXPECT_TRUE(threads.wake_one());
  sleep.clear();
  EXPECT_EQ(woken, 3);
}

TEST(IdleThreadsTest, ThreadsThatAreTooManyRestUntilTheEnd) {
  IdleThreads threads(3, 1);
  threads.rest(0);  // it is not
  EXPECT_TRUE(threads.are_as_many_awake_as_may_be());
  threads.set_max_awake(4);
  EXPECT_FALSE(threads.are_as_many_awake_as_may_be());
  threads.set_max_awake(1);
  EXPECT_TRUE(threads.are_too_many_awake());
  std::jthread first([&] { threads.rest(0); });
  std::jthread second([&] { threads.rest(1); });
  while (threads.sleepers() < 2) std::this_thread::yield();
  EXPECT_FALSE(threads.are_too_many_awake());
  EXPECT_TRUE(threads.are_as_many_awake_as_may_be());
  threads.rest(2);
  EXPECT_FALSE(threads.wake_one());
  threads.wake_all();
  first.join();
  second.join();
  threads.rest(0);
}

// A nap uses no processor: where jobs come in close succession, it is cheaper than to be woken.
TEST(IdleThreadsTest, AThreadThatMayNotSpinMayNap) {
  IdleThreads threads(1, 1);
  int looks = 0;
  threads.wait(
      0, [&] { return ++looks > 0; }, [] { return false; }, kLong, std::chrono::microseconds(10));
  EXPECT_EQ(looks, 1);
}

// More threads than processors: they sleep between jobs, and each job wakes the one that runs it.
TEST(IdleThreadsTest, NoJobIsMissedWhereThreadsSleep) {
  std::mt19937_64 random = test::generator(877);
  test::StubWork work(4);
  WorkClass* const classes[] = {&work};
  SchedulerSettings settings;
  settings.cpu_threads = default_threads() + 2;
  settings.spin = std::chrono::microseconds(200);
  JobScheduler scheduler(classes, settings);
  std::deque<test::StubJob> jobs;
  for (int i = 0; i < 2'000; ++i) {
    test::StubJob& job = jobs.emplace_back(work);
    const bool is_for_gpu = random() % 2 == 0;
    job.wanted = {.cpu = is_for_gpu ? 500.0F : 1.0F,
                  .gpu_alone = 10,
                  .gpu_share = 1,
                  .gpu_can = true,
                  .gpu_base = 9};
    scheduler.submit(job);
    if (random() % 4 == 0) continue;  // several at a time
    while (job.ends.load() == 0) std::this_thread::yield();
    if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
  }
  for (const test::StubJob& job : jobs) {
    while (job.ends.load() == 0) std::this_thread::yield();
    EXPECT_EQ(job.ended, JobEnd::kComplete);
  }
}

// How many may be awake changes all the time while jobs come. Whoever raises the limit wakes one
// more, if jobs wait.
TEST(IdleThreadsTest, NoJobIsMissedWhereTheLimitChanges) {
  constexpr std::size_t kThreads = 4;
  constexpr int kJobs = 20'000;
  std::mt19937_64 random = test::generator(731);
  IdleThreads threads(kThreads, 1);
  std::atomic<int> waiting = 0;
  std::atomic<int> done = 0;
  const auto has_work = [&] { return waiting > 0 || done == kJobs; };
  std::vector<std::jthread> workers;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    workers.emplace_back([&, thread] {
      while (done < kJobs) {
        if (threads.are_too_many_awake()) threads.rest(thread);
        int jobs = waiting;
        while (jobs > 0 && !waiting.compare_exchange_weak(jobs, jobs - 1)) {
        }
        if (jobs > 0) {
          if (++done == kJobs) threads.wake_all();
          continue;
        }
        const bool looks_out = threads.wait(
            thread, has_work, [] { return true; }, std::chrono::microseconds{20}, kNone);
        if (looks_out) threads.end_lookout();
      }
    });
  }
  std::jthread limits([&, draw = std::mt19937_64(random())]() mutable {
    while (done < kJobs) {
      threads.set_max_awake(1 + draw() % kThreads);
      if (waiting > 0) threads.wake_one();
      std::this_thread::sleep_for(std::chrono::microseconds{draw() % 100});
    }
  });
  for (int i = 0; i < kJobs; ++i) {
    ++waiting;
    threads.bring_work();
    if (random() % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds{random() % 200});
  }
}

}  // namespace
}  // namespace warpdex
