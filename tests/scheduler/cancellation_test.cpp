// Jobs that are cancelled while they wait: what is counted, who finds room, and that each ends
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/scheduler/stub_work.hpp"
#include "tests/support.hpp"
#include "warpdex/scheduler/job_scheduler.hpp"

namespace warpdex {
namespace {

using test::StubJob;
using test::StubWork;

constexpr std::size_t kWaiting = 3'000;
constexpr std::size_t kCancelled = 2'000;

void await_end(const StubJob& job) {
  while (job.ends.load() == 0) std::this_thread::yield();
}

/// A scheduler whose only CPU thread is held by a job of its own.
class Cancellation : public testing::Test {
 protected:
  Cancellation() {
    work_.run = [this](StubJob& job, SearchWatch&) {
      while (&job == &holder_ && is_held_) std::this_thread::yield();
      return true;
    };
    SchedulerSettings settings;
    settings.cpu_threads = 1;
    settings.capacity = 1 + kWaiting;
    scheduler_.emplace(std::span(&class_, 1), settings);
    holder_.wanted.cpu = 1'000;  // so that its thread takes no other job beside it
    scheduler_->submit(holder_);
    while (holder_.state.load() != Job::State::kRunning) std::this_thread::yield();
  }
  ~Cancellation() override { is_held_ = false; }

  StubJob& submit(StubJob& job) {
    job.wanted.cpu = 1 + static_cast<float>(random_() % 100);
    job.options.overload = OverloadPolicy::kRefuse;
    job.options.deadline = std::chrono::microseconds(3'600'000'000 + random_() % 1'000'000);
    job.ends = 0;
    scheduler_->submit(job);
    return job;
  }
  StubJob& submit() { return submit(jobs_.emplace_back(work_)); }

  std::mt19937_64 random_ = test::generator(846);
  StubWork work_{0};
  WorkClass* class_ = &work_;
  std::atomic<bool> is_held_ = true;
  std::deque<StubJob> jobs_;
  std::vector<StubJob*> ran_;
  StubJob holder_{work_};
  std::optional<JobScheduler> scheduler_;
};

TEST_F(Cancellation, MakesRoomAtOnceForOthers) {
  std::vector<StubJob*> waiting;
  for (std::size_t i = 0; i < kWaiting; ++i) waiting.push_back(&submit());
  EXPECT_EQ(submit().ended, JobEnd::kRefused);
  std::shuffle(waiting.begin(), waiting.end(), random_);
  for (std::size_t i = 0; i < kCancelled; ++i) {
    ASSERT_TRUE(scheduler_->cancel(*waiting[i], 0));
    ASSERT_EQ(waiting[i]->ends, 1);
    ASSERT_EQ(waiting[i]->ended, JobEnd::kCancelled);
    ASSERT_FALSE(scheduler_->cancel(*waiting[i], 0));
    if (i % 100 != 0) continue;
    const SchedulerStatistics now = scheduler_->statistics();
    ASSERT_EQ(now.cancelled, i + 1);
    ASSERT_EQ(now.under_way, 1 + kWaiting - (i + 1));
    ASSERT_EQ(now.prefers_cpu, kWaiting - (i + 1));
  }
  // Their owners use them again, under other deadlines.
  for (std::size_t i = 0; i < kCancelled; ++i) {
    ASSERT_EQ(submit(*waiting[i]).ends, 0);
    ASSERT_FALSE(scheduler_->cancel(*waiting[i], 0));
  }
  EXPECT_EQ(submit().ended, JobEnd::kRefused);
  EXPECT_TRUE(scheduler_->cancel(*waiting[0], 1));
  is_held_ = false;
  for (std::size_t i = 0; i < kWaiting; ++i) {
    await_end(*waiting[i]);
    ASSERT_EQ(waiting[i]->ended, i == 0 ? JobEnd::kCancelled : JobEnd::kComplete);
  }
  await_end(holder_);
  const SchedulerStatistics sum = scheduler_->statistics();
  EXPECT_EQ(sum.cancelled, kCancelled + 1);
  EXPECT_EQ(sum.refused, 2U);
  EXPECT_EQ(sum.complete_on_cpu, kWaiting);  // the holder, and all but one
  EXPECT_EQ(sum.submitted, sum.cancelled + sum.refused + sum.complete_on_cpu);
  EXPECT_EQ(sum.under_way, 0U);
  scheduler_.reset();
  for (const StubJob& job : jobs_) EXPECT_EQ(job.ends, 1);
}

TEST_F(Cancellation, LeavesTheOrderOfTheOthers) {
  std::vector<StubJob*> waiting;
  for (std::size_t i = 0; i < kWaiting; ++i) {
    waiting.push_back(&submit());
    waiting.back()->on_end = [&](StubJob& job, JobEnd how) {
      if (how == JobEnd::kComplete) ran_.push_back(&job);  // by the only CPU thread
    };
  }
  std::vector<StubJob*> left = waiting;
  std::shuffle(left.begin(), left.end(), random_);
  for (std::size_t i = 0; i < kCancelled; ++i, left.pop_back()) {
    ASSERT_TRUE(scheduler_->cancel(*left.back(), 0));
  }
  is_held_ = false;
  for (const StubJob* job : left) await_end(*job);
  EXPECT_TRUE(std::is_sorted(ran_.begin(), ran_.end(), [](const StubJob* a, const StubJob* b) {
    return std::tie(a->place.slot, a->place.length) < std::tie(b->place.slot, b->place.length);
  }));
  EXPECT_EQ(std::set<StubJob*>(ran_.begin(), ran_.end()),
            std::set<StubJob*>(left.begin(), left.end()));
}

// Threads submit and cancel while CPU threads and a pretended GPU take, steal and batch.
TEST(CancellationOfManyThreads, EachJobEndsOnce) {
  StubWork work(4);
  WorkClass* const classes[] = {&work};
  constexpr std::size_t kThreads = 6;
  constexpr std::size_t kJobs = 2'000;  // of a thread
  std::deque<StubJob> jobs;
  for (std::size_t i = 0; i < kThreads * kJobs; ++i) {
    StubJob& job = jobs.emplace_back(work);
    job.wanted = {static_cast<float>(1 + i % 60), 20, static_cast<float>(1 + i % 7), i % 4 != 0};
  }
  std::atomic<std::size_t> cancelled = 0;
  {
    SchedulerSettings settings;
    settings.cpu_threads = 2;
    settings.placement.client_weights = {1, 2};
    JobScheduler scheduler(classes, settings);
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937_64 random = test::generator(847 + thread);
        const std::size_t first = thread * kJobs;
        for (std::size_t done = 0; done < kJobs;) {
          const std::size_t count = std::min<std::size_t>(1 + random() % 400, kJobs - done);
          for (std::size_t i = 0; i < count; ++i) {
            StubJob& job = jobs[first + done + i];
            job.options.client = static_cast<std::uint32_t>(i % 2);
            scheduler.submit(job);
          }
          for (std::size_t i = 0; i < count; ++i) {
            StubJob& job = jobs[first + done + random() % count];
            if (scheduler.cancel(job, 0)) ++cancelled;
          }
          done += count;
        }
      });
    }
    threads.clear();
    for (const StubJob& job : jobs) await_end(job);
    const SchedulerStatistics sum = scheduler.statistics();
    EXPECT_LE(sum.cancelled, cancelled);  // a job that runs may end before it can be stopped
    EXPECT_EQ(sum.complete_on_cpu + sum.complete_on_gpu + sum.cancelled, jobs.size());
    EXPECT_EQ(sum.under_way, 0U);
    EXPECT_EQ(sum.prefers_cpu + sum.prefers_gpu + sum.huge, 0U);
  }
  for (const StubJob& job : jobs) EXPECT_EQ(job.ends, 1);
}

}  // namespace
}  // namespace warpdex
