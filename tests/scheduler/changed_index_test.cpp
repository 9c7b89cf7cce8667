// Changed indexes through the scheduler: answers are those of an index that is built at once of
// what is live, certificates of partial ones are true, features add up over segments, and costs
// that were stored before the change stay in use.
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <string>
#include <vector>

#include "tests/query/engine/living_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/scheduler/stand_in_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex {
namespace {

using test::Living;
using Named = std::vector<std::pair<std::string, float>>;

template <typename Searched>
Named named(const Searched& searched, const SearchResult& result) {
  Named hits;
  for (const Hit& hit : result.hits) {
    hits.emplace_back(searched.document_name(hit.document), hit.score);
  }
  return hits;
}

/// An index of several segments with removed documents, and one that is built of what is left.
class ChangedIndexTest : public testing::TestWithParam<bool> {
 protected:
  ChangedIndexTest() : living_(870 + GetParam(), CodecKind::kBitpack, GetParam()) {
    for (int i = 0; i < 3; ++i) {
      living_.add_some(40);
      living_.remove_some(15);
      living_.commit();
    }
    living_.build(folder_ / "anew", living_.live());
  }

  const test::TemporaryFolder folder_{test::place_in_memory()};
  Living living_;
};

TEST_P(ChangedIndexTest, AnswersAreThoseOfAnIndexBuiltAnew) {
  const Snapshot snapshot = Snapshot::open(living_.index());
  ASSERT_GT(snapshot.segments().size(), 1U);
  const Index anew = Index::open(folder_ / "anew");
  CpuSearcher wanted(anew);
  const test::LivingLog log(living_, snapshot, 200);
  for (const Placement placement : {Placement::kBoth, Placement::kGpuOnly, Placement::kCpuOnly}) {
    test::StandInEngine engine(snapshot, 5);
    engine.leave_every(11);
    SchedulerSettings settings;
    settings.cpu_threads = 2;
    settings.placement.placement = placement;
    Scheduler scheduler(snapshot, {.engine = &engine, .batches = 5}, settings);
    std::vector<std::future<ScheduledAnswer>> answers;
    for (std::size_t i = 0; i < log.queries.size(); ++i) {
      answers.push_back(scheduler.submit(log.queries[i], log.settings[i]));
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const ScheduledAnswer answer = answers[i].get();
      ASSERT_EQ(answer.end, JobEnd::kComplete);
      ASSERT_EQ(named(snapshot, answer.result),
                named(anew, wanted.search(log.queries[i], log.settings[i])))
          << reference::describe(log.queries[i]) << " " << reference::describe(log.settings[i]);
    }
    const SchedulerStatistics statistics = scheduler.statistics();
    if (placement == Placement::kGpuOnly) {
      EXPECT_GT(statistics.complete_on_gpu, 0U);
    } else if (placement == Placement::kCpuOnly) {
      EXPECT_EQ(statistics.complete_on_cpu, log.queries.size());
    }
  }
}

TEST_P(ChangedIndexTest, CertificatesOfPartialAnswersAreTrue) {
  const Snapshot snapshot = Snapshot::open(living_.index());
  const Index anew = Index::open(folder_ / "anew");
  CpuSearcher wanted(anew);
  SchedulerSettings settings;
  settings.cpu_threads = 1;
  settings.capacity = 5;
  Scheduler scheduler(snapshot, {}, settings);
  const test::LivingLog log(living_, snapshot, 300);
  std::vector<std::future<ScheduledAnswer>> answers;
  for (std::size_t i = 0; i < log.queries.size(); ++i) {
    JobOptions options;
    options.overload = OverloadPolicy::kPartial;
    options.deadline = std::chrono::microseconds(i % 3 * 200);
    answers.push_back(scheduler.submit(log.plans[i], log.settings[i], options));
  }
  std::size_t partial = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const ScheduledAnswer answer = answers[i].get();
    if (answer.end != JobEnd::kPartial) continue;
    ++partial;
    const Named hits = named(snapshot, answer.result);
    const std::map<std::string, float> found(hits.begin(), hits.end());
    for (const auto& [name, score] : named(anew, wanted.search(log.queries[i], log.settings[i]))) {
      if (found.count(name) > 0) {
        ASSERT_EQ(found.at(name), score);
      } else {
        ASSERT_LE(score, answer.max_missing_score)
            << reference::describe(log.queries[i]) << " " << reference::describe(log.settings[i]);
      }
    }
  }
  EXPECT_GT(partial, 20U);
}

INSTANTIATE_TEST_SUITE_P(Weights, ChangedIndexTest, testing::Values(false, true));

TEST(ChangedIndexFeatures, AddUpOverSegments) {
  Living living(872, CodecKind::kBitpack, false);
  living.add_some(150);
  living.commit();
  const test::TemporaryFolder folder(test::place_in_memory());
  living.build(folder / "anew", living.live());
  const Snapshot changed = Snapshot::open(living.index());
  const Snapshot anew = Snapshot::open(folder / "anew");
  ASSERT_GT(changed.segments().size(), 1U);
  for (int i = 0; i < 200; ++i) {
    const Query query = living.query();
    const SearchSettings settings = living.settings();
    const PlannedQuery plan = plan_query(changed, query);
    const Features of_changed = features_of(changed, plan, settings);
    const Features of_anew = features_of(anew, plan_query(anew, query), settings);
    const auto at = [](const Features& features, Feature feature) {
      return features[static_cast<std::size_t>(feature)];
    };
    for (const Feature same : {Feature::kConstant, Feature::kK, Feature::kRootOfK}) {
      ASSERT_EQ(at(of_changed, same), at(of_anew, same));
    }
    // A segment that cannot match is not searched.
    ASSERT_LE(at(of_changed, Feature::kSum), at(of_anew, Feature::kSum));
    if (settings.mode != QueryMode::kOr || plan.terms.size() > 1) continue;
    ASSERT_EQ(at(of_changed, Feature::kSum), at(of_anew, Feature::kSum));
    ASSERT_EQ(at(of_changed, Feature::kTerms), at(of_anew, Feature::kTerms));
    ASSERT_EQ(at(of_changed, Feature::kKTerms), at(of_anew, Feature::kKTerms));
  }
}

/// Stored costs, with one figure that tells them from rough ones.
void store_costs(const Snapshot& snapshot) {
  CostModel model;
  model.models(0).gpu_base = 1234;
  test::write_file(cost_file_of(snapshot.folder()), cost_model_to_json(model, snapshot));
}

TEST(ChangedIndexCosts, StayInUseAndSayThatTheyAreOlder) {
  Living living(873, CodecKind::kBitpack, false);
  const Snapshot built = Snapshot::open(living.index());
  EXPECT_EQ(load_cost_model(built).origin(), CostOrigin::kRough);
  store_costs(built);
  EXPECT_EQ(load_cost_model(built).origin(), CostOrigin::kCalibrated);
  const auto expect_older = [&] {
    const Snapshot changed = Snapshot::open(living.index());
    const CostModel model = load_cost_model(changed);
    EXPECT_EQ(model.origin(), CostOrigin::kOlder);
    EXPECT_EQ(model.models(0).gpu_base, 1234);
    const Scheduler scheduler(changed, {}, {}, model);
    EXPECT_EQ(scheduler.statistics().costs, CostOrigin::kOlder);
  };
  living.add_some(20);
  living.commit();
  expect_older();
  living.remove_some(30);
  living.commit();
  expect_older();
  living.merge();
  living.commit();
  expect_older();
  const Snapshot merged = Snapshot::open(living.index());
  store_costs(merged);
  EXPECT_EQ(load_cost_model(merged).origin(), CostOrigin::kCalibrated);
  // Costs of a later commit than the index has: it was built anew.
  living.close();
  living.build(living.index(), {living.live().begin(), living.live().begin() + 100});
  EXPECT_EQ(load_cost_model(Snapshot::open(living.index())).origin(), CostOrigin::kRough);
}

}  // namespace
}  // namespace warpdex
