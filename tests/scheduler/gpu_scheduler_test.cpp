// The scheduler with the GPU engine itself: right answers from many clients, whatever ran where.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/living_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex {
namespace {

TEST(GpuScheduler, AnswersAreRightWhereverQueriesMayGo) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  test::Random random = test::generator(860);
  test::CollectionMaker maker(random, 40'000);
  const reference::Collection collection = maker.make();
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
  const Snapshot snapshot = Snapshot::open(folder / "index");
  Resources resources;
  const GpuIndex uploaded(*snapshot.segments()[0].index, resources);
  std::vector<Query> queries;
  std::vector<SearchSettings> settings;
  std::vector<test::Truth> truths;
  test::SettingsMaker settings_maker(random);
  for (std::size_t i = 0; i < 200; ++i) {
    queries.push_back(test::random_query(random, maker.vocabulary(), i % 7));
    if (i % 9 == 0) test::give_weights(random, queries.back());
    settings.push_back(settings_maker.draw());
    truths.push_back(test::find_truth(collection, queries.back(), settings.back()));
  }
  for (const Placement placement :
       {Placement::kBoth, Placement::kGpuOnly, Placement::kBetterAlone}) {
    SchedulerSettings wanted;
    wanted.placement.placement = placement;
    wanted.cpu_threads = 4;
    wanted.placement.huge_work = 1;  // many are, and go to an engine of their own
    const std::size_t batches = gpu_batches(wanted.placement);
    GpuEngine engine(uploaded, {.max_batches = batches});
    GpuEngine background(uploaded, {.max_batches = kBackgroundBatches, .is_background = true});
    Scheduler scheduler(snapshot,
                        {.engine = &engine, .batches = batches, .background = &background}, wanted);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < 16; ++client) {
      clients.emplace_back([&, client] {
        std::vector<std::pair<std::size_t, std::future<ScheduledAnswer>>> answers;
        for (std::size_t i = 0; i < 300; ++i) {
          const std::size_t query = (client * 31 + i * 7) % queries.size();
          answers.emplace_back(query, scheduler.submit(queries[query], settings[query]));
          if (i % 4 == 0) answers.back().second.wait();
        }
        for (auto& [query, future] : answers) {
          const ScheduledAnswer answer = future.get();
          const std::string verdict = test::judge(truths[query], answer.result, settings[query]);
          if (answer.end == JobEnd::kComplete && verdict.empty()) continue;
          ++wrong;
          ADD_FAILURE() << query << ": " << verdict;
        }
      });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(wrong, 0);
    const SchedulerStatistics statistics = scheduler.statistics();
    EXPECT_EQ(statistics.gpu_failures, 0U);
    EXPECT_GT(statistics.complete_on_gpu, 0U);
    if (placement != Placement::kGpuOnly) continue;  // the CPU may take all of one kind
    EXPECT_GT(engine.statistics().queries, 0U);
    EXPECT_GT(background.statistics().queries, 0U);
  }
}

// Of several segments, with removed documents: the answers are those of an index built anew.
TEST(GpuScheduler, AnswersOverAChangedIndexAreRight) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  test::Living living(861, CodecKind::kBitpack, false, 3'000);
  for (int i = 0; i < 3; ++i) {
    living.add_some(500);
    living.remove_some(100);
    living.commit();
  }
  const test::TemporaryFolder folder;
  living.build(folder / "anew", living.live());
  const Index anew = Index::open(folder / "anew");
  CpuSearcher searcher(anew);
  const Snapshot snapshot = Snapshot::open(living.index());
  ASSERT_GT(snapshot.segments().size(), 1U);
  Resources resources;
  const GpuSnapshot uploaded(snapshot, resources);
  SchedulerSettings settings;
  settings.cpu_threads = 4;
  const std::size_t batches = gpu_batches(settings.placement);
  GpuEngine engine(uploaded, {.max_batches = batches});
  Scheduler scheduler(snapshot, {.engine = &engine, .batches = batches}, settings);
  const test::LivingLog log(living, snapshot, 1'000);
  std::vector<std::future<ScheduledAnswer>> answers;
  for (std::size_t i = 0; i < log.queries.size(); ++i) {
    answers.push_back(scheduler.submit(log.queries[i], log.settings[i]));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const ScheduledAnswer answer = answers[i].get();
    ASSERT_EQ(answer.end, JobEnd::kComplete);
    const SearchResult wanted = searcher.search(log.queries[i], log.settings[i]);
    ASSERT_EQ(answer.result.hits.size(), wanted.hits.size()) << i;
    for (std::size_t hit = 0; hit < wanted.hits.size(); ++hit) {
      ASSERT_EQ(snapshot.document_name(answer.result.hits[hit].document),
                anew.document_name(wanted.hits[hit].document))
          << i;
      ASSERT_EQ(answer.result.hits[hit].score, wanted.hits[hit].score) << i;
    }
  }
  EXPECT_GT(scheduler.statistics().complete_on_gpu, 0U);
  EXPECT_EQ(scheduler.statistics().gpu_failures, 0U);
}

}  // namespace
}  // namespace warpdex
