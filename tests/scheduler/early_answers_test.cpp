// Jobs of a batch on the GPU whose answers come before those of the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tests/scheduler/stub_work.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/scheduler/job_scheduler.hpp"

namespace warpdex {
namespace {

using test::StubJob;

/// A GPU that takes one batch at a time, whose answers come when the test says so.
class HeldWork final : public WorkClass {
 public:
  JobCost estimate(const Job& job) const override {
    return static_cast<const StubJob&>(job).wanted;
  }
  std::unique_ptr<CpuWorker> make_cpu_worker() override { return std::make_unique<Cpu>(*this); }
  std::unique_ptr<GpuWorker> make_gpu_worker() override { return std::make_unique<Gpu>(*this); }
  void answer_nothing(Job&) const override {}
  void learn_gpu(const Job& job, std::size_t count, float, float) override {
    learnt_ends = static_cast<const StubJob&>(job).ends.load();
    learnt_jobs = count;
  }

  std::atomic<int> batches = 0;       ///< that were started
  std::atomic<int> done = 0;          ///< of these
  std::atomic<std::size_t> jobs = 0;  ///< of the last one
  /// So many jobs of the batch have their answers; the last ones come first.
  std::atomic<std::size_t> early = 0;
  std::atomic<bool> fails = false;
  std::atomic<int> delivered_early = 0;
  std::atomic<int> delivered_late = 0;
  std::atomic<int> runs_on_cpu = 0;
  std::atomic<std::size_t> learnt_jobs = 0;
  std::atomic<int> learnt_ends = 0;  ///< of the job that was given to learn from
  std::size_t given_back = 0;        ///< jobs of the failed batch

 private:
  class Cpu final : public CpuWorker {
   public:
    explicit Cpu(HeldWork& work) : work_(work) {}
    bool run(Job&, SearchWatch&) override {
      ++work_.runs_on_cpu;
      return true;
    }

   private:
    HeldWork& work_;
  };

  class Gpu final : public GpuWorker {
   public:
    explicit Gpu(HeldWork& work) : work_(work) {}
    std::size_t max_batches() const override { return 1; }
    void start(std::size_t, std::span<Job* const> batch) override {
      places_.clear();
      for (std::size_t i = batch.size(); i > 0; --i) {
        places_.push_back(static_cast<std::uint32_t>(i - 1));
      }
      is_taken_ = false;
      work_.jobs = batch.size();
      ++work_.batches;
    }
    bool poll(std::size_t) override {
      if (work_.fails) throw Error("the GPU that is none has failed");
      return work_.done >= work_.batches;
    }
    std::span<const std::uint32_t> early(std::size_t) override {
      return std::span(places_).first(std::min<std::size_t>(work_.early, places_.size()));
    }
    void take(std::size_t) override { is_taken_ = true; }
    bool deliver(std::size_t, std::size_t, Job&) override {
      ++(is_taken_ ? work_.delivered_late : work_.delivered_early);
      return true;
    }
    void release(std::size_t) noexcept override {}
    void give_back(std::size_t, std::span<Job* const> batch) noexcept override {
      for (const Job* job : batch) work_.given_back += job != nullptr ? 1 : 0;
    }

   private:
    HeldWork& work_;
    std::vector<std::uint32_t> places_;
    bool is_taken_ = false;
  };
};

class EarlyAnswersTest : public testing::Test {
 protected:
  static constexpr int kJobs = 50;

  /// Starts a batch of kJobs jobs. They come while a batch of one job is under way, which ends
  /// then.
  void SetUp() override {
    SchedulerSettings settings;
    settings.cpu_threads = 1;
    settings.placement.placement = Placement::kGpuOnly;
    WorkClass* const classes[] = {&work_};
    scheduler_.emplace(classes, settings);
    StubJob first(work_);
    submit(first);
    ASSERT_TRUE(wait_until([&] { return work_.batches == 1; }));
    submit_all();
    ++work_.done;
    ASSERT_TRUE(wait_until([&] { return first.ends == 1 && work_.batches == 2; }));
    ASSERT_EQ(work_.jobs, kJobs);
    work_.delivered_late = 0;
  }
  /// Ends the batch, which may be under way.
  void TearDown() override {
    work_.done = 1'000;
    scheduler_.reset();
  }

  void submit_all() {
    for (int i = 0; i < kJobs; ++i) submit(*jobs_.emplace_back(std::make_unique<StubJob>(work_)));
  }
  void submit(StubJob& job) {
    job.wanted = {.cpu = 1'000, .gpu_alone = 30, .gpu_share = 1, .gpu_can = true};
    scheduler_->submit(job);
  }
  int count_ends() const {
    int ends = 0;
    for (const auto& job : jobs_) ends += job->ends;
    return ends;
  }
  /// False if the condition has not come true in 20 seconds.
  static bool wait_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  bool wait_for_ends(int count) const {
    return wait_until([&] { return count_ends() >= count; });
  }

  HeldWork work_;
  std::vector<std::unique_ptr<StubJob>> jobs_;
  std::optional<JobScheduler> scheduler_;
};

TEST_F(EarlyAnswersTest, AreDeliveredBeforeTheBatchIsDone) {
  work_.early = 20;
  ASSERT_TRUE(wait_for_ends(20));
  EXPECT_EQ(work_.delivered_early, 20);
  work_.early = 30;
  ASSERT_TRUE(wait_for_ends(30));
  EXPECT_EQ(work_.delivered_early, 30);
  EXPECT_EQ(work_.delivered_late, 0);
  ++work_.done;
  ASSERT_TRUE(wait_for_ends(kJobs));
  scheduler_.reset();
  EXPECT_EQ(work_.delivered_early, 30);
  EXPECT_EQ(work_.delivered_late, kJobs - 30);
  EXPECT_EQ(work_.learnt_jobs, kJobs);
  EXPECT_EQ(work_.learnt_ends, 0);
  for (const auto& job : jobs_) {
    EXPECT_EQ(job->ends, 1);
    EXPECT_EQ(job->ended, JobEnd::kComplete);
  }
}

TEST_F(EarlyAnswersTest, AllOfABatchMayBeEarly) {
  work_.early = kJobs;
  ASSERT_TRUE(wait_for_ends(kJobs));
  jobs_.clear();  // nobody may touch them any more
  work_.learnt_jobs = 0;
  ++work_.done;
  scheduler_.reset();
  EXPECT_EQ(work_.delivered_early, kJobs);
  EXPECT_EQ(work_.delivered_late, 0);
  EXPECT_EQ(work_.learnt_jobs, 0U);
}

TEST_F(EarlyAnswersTest, EachBatchHasItsOwn) {
  work_.early = 30;
  ASSERT_TRUE(wait_for_ends(30));
  submit_all();
  work_.early = 0;
  ++work_.done;
  ASSERT_TRUE(wait_until([&] { return work_.batches == 3; }));
  ASSERT_TRUE(wait_for_ends(kJobs));
  work_.early = 20;
  ASSERT_TRUE(wait_for_ends(kJobs + 20));
  EXPECT_EQ(work_.delivered_early, 50);
  ++work_.done;
  ASSERT_TRUE(wait_for_ends(2 * kJobs));
  for (const auto& job : jobs_) EXPECT_EQ(job->ends, 1);
}

TEST_F(EarlyAnswersTest, AJobMayBeSubmittedAgainAtOnce) {
  std::atomic<int> again = 0;
  StubJob& last = *jobs_.back();
  last.on_end = [&](StubJob& job, JobEnd) {
    if (++again == 1) scheduler_->submit(job);
  };
  work_.early = 1;
  ASSERT_TRUE(wait_for_ends(1));
  work_.early = 0;
  ++work_.done;
  ASSERT_TRUE(wait_until([&] { return work_.batches == 3; }));
  EXPECT_EQ(work_.jobs, 1U);
  ++work_.done;
  ASSERT_TRUE(wait_for_ends(kJobs + 1));
  EXPECT_EQ(last.ends, 2);
}

TEST_F(EarlyAnswersTest, AGpuThatFailsLeavesOnlyTheOthersToTheCpu) {
  work_.early = 20;
  ASSERT_TRUE(wait_for_ends(20));
  for (int i = 0; i < 20; ++i) jobs_.pop_back();  // nobody may touch them any more
  work_.fails = true;
  ASSERT_TRUE(wait_for_ends(kJobs - 20));
  EXPECT_EQ(scheduler_->statistics().moved_to_cpu, kJobs - 20U);
  scheduler_.reset();
  EXPECT_EQ(work_.given_back, kJobs - 20U);
  EXPECT_EQ(work_.runs_on_cpu, kJobs - 20);
  for (const auto& job : jobs_) {
    EXPECT_EQ(job->ends, 1);
    EXPECT_EQ(job->ended, JobEnd::kComplete);
  }
}

TEST_F(EarlyAnswersTest, ACancelledJobEndsOnce) {
  StubJob& last = *jobs_.back();
  EXPECT_TRUE(scheduler_->cancel(last, last.generation));
  work_.early = 2;
  ASSERT_TRUE(wait_for_ends(2));
  EXPECT_EQ(last.ended, JobEnd::kCancelled);
  EXPECT_EQ(work_.delivered_early, 1);
  ++work_.done;
  ASSERT_TRUE(wait_for_ends(kJobs));
  EXPECT_EQ(last.ends, 1);
}

}  // namespace
}  // namespace warpdex
