// Text queries through the scheduler: complete answers are right whatever ran where, partial ones
// have true certificates, and a GPU that fails leaves no query unanswered.
#include "warpdex/scheduler/scheduler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "cost/corrections.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/scheduler/stand_in_engine.hpp"
#include "tests/support.hpp"
#include "text/text_work.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::StandInEngine;

class SchedulerTest : public testing::Test {
 protected:
  static constexpr std::size_t kQueries = 150;
  static constexpr std::size_t kBatches = 5;

  void SetUp() override {
    test::CollectionMaker maker(random_, 4'000);
    collection_ = maker.make();
    test::write_index(collection_, {CodecKind::kBitpack, 1}, folder_ / "index");
    snapshot_.emplace(Snapshot::open(folder_ / "index"));
    engine_.emplace(*snapshot_, kBatches);
    test::SettingsMaker settings(random_);
    for (std::size_t i = 0; i < kQueries; ++i) {
      queries_.push_back(test::random_query(random_, maker.vocabulary(), i % 7));
      if (i % 5 == 0) test::give_weights(random_, queries_.back());
      settings_.push_back(settings.draw());
      truths_.push_back(test::find_truth(collection_, queries_.back(), settings_.back()));
    }
  }

  SchedulerSettings two_threads() const {
    SchedulerSettings settings;
    settings.cpu_threads = 2;
    return settings;
  }
  GpuSide gpu() { return {.engine = &*engine_, .batches = kBatches}; }

  void judge(std::size_t query, const ScheduledAnswer& answer) const {
    ASSERT_EQ(answer.end, JobEnd::kComplete);
    ASSERT_EQ(test::judge(truths_[query], answer.result, settings_[query]), "") << query;
  }

  /// Submits all queries, and judges their answers.
  void answer_all(Scheduler& scheduler) {
    std::vector<std::future<ScheduledAnswer>> answers;
    for (std::size_t i = 0; i < kQueries; ++i) {
      answers.push_back(scheduler.submit(queries_[i], settings_[i]));
    }
    for (std::size_t i = 0; i < kQueries; ++i) judge(i, answers[i].get());
  }

  test::Random random_ = test::generator(830);
  Collection collection_;
  test::TemporaryFolder folder_;
  std::optional<Snapshot> snapshot_;
  std::optional<StandInEngine> engine_;
  std::vector<Query> queries_;
  std::vector<SearchSettings> settings_;
  std::vector<test::Truth> truths_;
};

TEST_F(SchedulerTest, AnswersThatComeEarlyAreRight) {
  engine_->answer_and_early(true);
  engine_->leave_every(5);
  SchedulerSettings settings = two_threads();
  settings.placement.placement = Placement::kGpuOnly;
  Scheduler scheduler(*snapshot_, gpu(), settings);
  for (int round = 0; round < 5; ++round) ASSERT_NO_FATAL_FAILURE(answer_all(scheduler));
  EXPECT_TRUE(engine_->has_answered_early());
  EXPECT_TRUE(engine_->has_kept_plans());
  EXPECT_GT(scheduler.statistics().moved_to_cpu, 0U);
}

TEST_F(SchedulerTest, AnswersAreRightWhereverQueriesMayGo) {
  for (const Placement placement :
       {Placement::kBoth, Placement::kCpuOnly, Placement::kGpuOnly, Placement::kBetterAlone}) {
    SchedulerSettings settings = two_threads();
    settings.placement.placement = placement;
    Scheduler scheduler(*snapshot_, gpu(), settings);
    ASSERT_NO_FATAL_FAILURE(answer_all(scheduler));
    const SchedulerStatistics statistics = scheduler.statistics();
    EXPECT_EQ(statistics.submitted, kQueries);
    EXPECT_EQ(statistics.complete_on_cpu + statistics.complete_on_gpu, kQueries);
    if (placement == Placement::kCpuOnly) {
      EXPECT_EQ(statistics.complete_on_gpu, 0U);
    }
    if (placement == Placement::kGpuOnly) {
      EXPECT_GT(statistics.complete_on_gpu, 100U);
    }
  }
}

// They go to an engine of their own, if there is one, and fail there as elsewhere.
TEST_F(SchedulerTest, HugeQueriesHaveAnEngineOfTheirOwn) {
  for (const bool fails : {false, true}) {
    StandInEngine background(*snapshot_, kBackgroundBatches);
    if (fails) background.fail(StandInEngine::Failure::kPoll, 2);
    SchedulerSettings settings = two_threads();
    settings.placement.placement = Placement::kGpuOnly;
    settings.placement.huge_work = 1;
    GpuSide side = gpu();
    side.background = &background;
    Scheduler scheduler(*snapshot_, side, settings);
    ASSERT_NO_FATAL_FAILURE(answer_all(scheduler));
    EXPECT_GT(background.started(), 1U);
    EXPECT_EQ(background.largest(), 1U);
    EXPECT_EQ(scheduler.statistics().gpu_failures > 0, fails);
  }
}

TEST_F(SchedulerTest, QueriesThatTheGpuLeavesTheCpuAnswers) {
  engine_->leave_every(3);
  SchedulerSettings settings = two_threads();
  settings.placement.placement = Placement::kGpuOnly;
  Scheduler scheduler(*snapshot_, gpu(), settings);
  ASSERT_NO_FATAL_FAILURE(answer_all(scheduler));
  EXPECT_GT(scheduler.statistics().moved_to_cpu, 30U);
}

TEST_F(SchedulerTest, AGpuThatFailsLeavesNoQueryUnanswered) {
  for (const auto where : {StandInEngine::Failure::kSubmit, StandInEngine::Failure::kPoll,
                           StandInEngine::Failure::kWait}) {
    for (const std::size_t after : {0, 1, 4}) {
      engine_.emplace(*snapshot_, kBatches);
      engine_->answer_and_early(true);
      engine_->fail(where, after);
      SchedulerSettings settings = two_threads();
      settings.placement.placement = Placement::kGpuOnly;
      settings.placement.batch_jobs = 7;
      Scheduler scheduler(*snapshot_, gpu(), settings);
      ASSERT_NO_FATAL_FAILURE(answer_all(scheduler));
      const SchedulerStatistics statistics = scheduler.statistics();
      EXPECT_GE(statistics.gpu_failures, 3U);
      EXPECT_TRUE(statistics.gpu_is_given_up);
      EXPECT_EQ(statistics.under_way, 0U);
    }
  }
}

TEST_F(SchedulerTest, SixtyFourClientsGetTheirOwnAnswers) {
  engine_->leave_every(17);
  engine_->answer_and_early(true);
  Scheduler scheduler(*snapshot_, gpu(), two_threads());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (std::size_t client = 0; client < 64; ++client) {
    clients.emplace_back([&, client] {
      for (std::size_t i = 0; i < 20; ++i) {
        const std::size_t query = (client * 31 + i * 7) % kQueries;
        const ScheduledAnswer answer = scheduler.submit(queries_[query], settings_[query]).get();
        if (answer.end != JobEnd::kComplete ||
            !test::judge(truths_[query], answer.result, settings_[query]).empty()) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(scheduler.statistics().submitted, 64U * 20U);
}

TEST_F(SchedulerTest, PartialAnswersAreMarkedAndTheirCertificatesAreTrue) {
  SchedulerSettings settings = two_threads();
  settings.capacity = 20;
  settings.limited_run = std::chrono::microseconds(20);
  Scheduler scheduler(*snapshot_, gpu(), settings);
  std::vector<std::future<ScheduledAnswer>> answers;
  for (std::size_t i = 0; i < kQueries; ++i) {
    JobOptions options;
    options.overload = OverloadPolicy::kPartial;
    options.deadline = std::chrono::microseconds(i % 3 * 300);
    answers.push_back(scheduler.submit(queries_[i], settings_[i], options));
  }
  std::size_t partial = 0;
  for (std::size_t i = 0; i < kQueries; ++i) {
    const ScheduledAnswer answer = answers[i].get();
    if (answer.end == JobEnd::kComplete) {
      judge(i, answer);
      continue;
    }
    ASSERT_EQ(answer.end, JobEnd::kPartial);
    ++partial;
    std::map<std::uint32_t, float> found;
    for (const Hit& hit : answer.result.hits) found[hit.document] = hit.score;
    for (const Hit& hit : truths_[i].float_ranking) {
      const auto place = found.find(hit.document);
      if (place != found.end()) {
        ASSERT_EQ(place->second, hit.score);
      } else {
        ASSERT_LE(hit.score, answer.max_missing_score) << i;
      }
    }
  }
  EXPECT_GT(partial, 20U);
  EXPECT_EQ(scheduler.statistics().partial, partial);
}

TEST_F(SchedulerTest, WhatIsRefusedIsMarked) {
  SchedulerSettings settings = two_threads();
  settings.capacity = 3;
  settings.placement.placement = Placement::kGpuOnly;
  engine_->hold(true);
  Scheduler scheduler(*snapshot_, gpu(), settings);
  JobOptions options;
  options.overload = OverloadPolicy::kRefuse;
  std::vector<std::future<ScheduledAnswer>> answers;
  const PlannedQuery plan = plan_query(*snapshot_, queries_[1]);
  for (int i = 0; i < 10; ++i) answers.push_back(scheduler.submit(plan, settings_[1], options));
  std::size_t refused = 0;
  for (int i = 3; i < 10; ++i) {
    ASSERT_EQ(answers[static_cast<std::size_t>(i)].get().end, JobEnd::kRefused);
    ++refused;
  }
  engine_->hold(false);
  for (int i = 0; i < 3; ++i) judge(1, answers[static_cast<std::size_t>(i)].get());
  EXPECT_EQ(scheduler.statistics().refused, refused);
}

TEST_F(SchedulerTest, WhatIsCancelledEndsOnce) {
  engine_->hold(true);
  SchedulerSettings settings = two_threads();
  settings.placement.placement = Placement::kGpuOnly;
  settings.placement.batches = 1;
  Scheduler scheduler(*snapshot_, gpu(), settings);
  std::vector<std::promise<ScheduledAnswer>> answers(10);
  std::vector<QueryHandle> handles;
  const PlannedQuery plan = plan_query(*snapshot_, queries_[1]);
  for (std::promise<ScheduledAnswer>& answer : answers) {
    handles.push_back(scheduler.submit(plan, settings_[1], {}, [&answer](ScheduledAnswer&& told) {
      answer.set_value(std::move(told));
    }));
    while (engine_->started() == 0) std::this_thread::yield();  // the first has its own batch
  }
  for (const QueryHandle& handle : handles) EXPECT_TRUE(scheduler.cancel(handle));
  for (std::size_t i = 1; i < answers.size(); ++i) {  // all but the one that runs, at once
    EXPECT_EQ(answers[i].get_future().get().end, JobEnd::kCancelled);
  }
  engine_->hold(false);
  EXPECT_EQ(answers[0].get_future().get().end, JobEnd::kCancelled);
  for (const QueryHandle& handle : handles) EXPECT_FALSE(scheduler.cancel(handle));
  EXPECT_EQ(scheduler.statistics().cancelled, answers.size());
}

TEST_F(SchedulerTest, TheEndCancelsWhatIsQueued) {
  engine_->hold(true);
  std::vector<std::future<ScheduledAnswer>> answers;
  {
    SchedulerSettings settings = two_threads();
    settings.placement.placement = Placement::kGpuOnly;
    settings.placement.batches = 1;
    Scheduler scheduler(*snapshot_, gpu(), settings);
    const PlannedQuery plan = plan_query(*snapshot_, queries_[1]);
    for (int i = 0; i < 5; ++i) {
      answers.push_back(scheduler.submit(plan, settings_[1]));
      while (engine_->started() == 0) std::this_thread::yield();
    }
    std::thread release([&] { engine_->hold(false); });
    release.join();
  }
  for (auto& answer : answers) {
    const JobEnd end = answer.get().end;
    EXPECT_TRUE(end == JobEnd::kComplete || end == JobEnd::kCancelled);
  }
}

// The mean of ratios, or their median, within few runs; then a single run changes little.
TEST(CorrectionTest, FollowsWhatRunsTake) {
  Correction mean;
  Correction median;
  for (int i = 0; i < 60; ++i) {
    mean.learn(100 * mean.factor(), 60);
    median.learn_median(100 * median.factor(), i % 5 == 0 ? 5'000 : 60);  // some are held up
  }
  EXPECT_NEAR(mean.factor(), 0.6, 0.03);
  EXPECT_NEAR(median.factor(), 0.6, 0.1);
  const float before = mean.factor();
  mean.learn(100, 1e6);
  EXPECT_NEAR(mean.factor(), before, 0.03F * before);
}

// A query is predicted to take longer on the GPU by the lists that are not in its memory.
TEST_F(SchedulerTest, CostsFollowWhatGpuMemoryHolds) {
  std::set<std::uint64_t> there;
  GpuSide side = gpu();
  side.has_list = [&](std::size_t, const PostingsEntry& list) {
    return there.count(list.first_block) > 0;
  };
  TextWork work(*snapshot_, side, {});
  TextJobPool pool(work);
  TextJob& job = pool.take();
  std::size_t long_lists = 0;
  for (std::size_t i = 0; i < kQueries; ++i) {
    job.plan = plan_query(*snapshot_, queries_[i]);
    job.settings = settings_[i];
    job.query_class = query_class(job.settings);
    there.clear();
    JobCost cost = work.estimate(job);
    const bool matches_nothing = cost.cpu == 0.5F;
    for (const PlannedTerm& term : job.plan.terms) {
      if (term.entry.is_short() || matches_nothing) continue;
      ++long_lists;
      there.insert(term.entry.first_block);
      const JobCost next = work.estimate(job);
      EXPECT_LT(next.gpu_alone, cost.gpu_alone);
      EXPECT_LT(next.gpu_share, cost.gpu_share);
      EXPECT_EQ(next.cpu, cost.cpu);
      cost = next;
    }
  }
  EXPECT_GT(long_lists, 0U);
  pool.give_back(job);
}

TEST_F(SchedulerTest, ArgumentsAreChecked) {
  Scheduler scheduler(*snapshot_, {}, two_threads());
  SearchSettings bad;
  bad.k = 0;
  EXPECT_THROW(scheduler.submit(queries_[0], bad), UsageError);
  bad = {};
  bad.scorer.kind = ScorerKind::kImpact;
  EXPECT_THROW(scheduler.submit(queries_[0], bad), UsageError);
  JobOptions options;
  options.client = 1;
  EXPECT_THROW(scheduler.submit(queries_[0], {}, options), UsageError);
  SchedulerSettings none = two_threads();
  none.capacity = 0;
  EXPECT_THROW(Scheduler(*snapshot_, {}, none), UsageError);
  none = two_threads();
  none.placement.client_weights = {1, -1};
  EXPECT_THROW(Scheduler(*snapshot_, {}, none), UsageError);
  EXPECT_FALSE(scheduler.cancel({}));
  EXPECT_NO_FATAL_FAILURE(answer_all(scheduler));
}

}  // namespace
}  // namespace warpdex
