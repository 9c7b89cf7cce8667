// Large batches with less GPU memory than the index: lists that are copied for a batch alone, and
// documents that are looked up where there is no room for them.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/query/gpu/lists/gpu_cache_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

using namespace test;

/// What large batches stage for themselves.
struct Staged {
  SearchSettings settings;
  GpuAblation ablation;
  std::string name;
};

std::vector<Staged> staged_searches() {
  std::vector<Staged> all;
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
    SearchSettings settings;
    settings.mode = mode;
    settings.k = 1000;
    settings.count = mode == QueryMode::kOr;
    all.push_back({settings, {}, reference::describe(settings)});
    settings.count = false;
    all.push_back({settings, {.exhaustive = true}, reference::describe(settings) + " exhaustive"});
  }
  return all;
}

TEST(GpuStage, LargeBatchesBringTheirLists) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::uint64_t turn = 0;
  for (const CodecSettings& codec :
       {CodecSettings{CodecKind::kBitpack, 1}, CodecSettings{CodecKind::kPfor, 1}}) {
    const GeneratedFixture fixture(150'000, 150, codec, turn == 1, seed() + turn);
    ++turn;
    const Index& index = *fixture.index;
    const Budgets budgets(index);
    for (const Staged& search : staged_searches()) {
      const std::vector<SearchResult> right = resident_answers(fixture, search.settings);
      for (const std::size_t percent : {20U, 50U, 80U}) {
        const test::LoneGpuIndex cached(index, {.memory = budgets.at(percent)});
        const std::size_t left = cached.memory_left();
        const std::string what = search.name + " at " + std::to_string(percent) + " %";
        {
          test::GpuSearcher searcher(cached, search.ablation);
          for (int pass = 0; pass < 3; ++pass) {
            ASSERT_NO_FATAL_FAILURE(expect_equal(
                right, searcher.run(fixture.plans, search.settings), search.settings.count, what));
          }
          const GpuStatistics statistics = searcher.statistics();
          EXPECT_EQ(statistics.unanswered_queries, 0U) << what;
          std::cout << what << ": " << statistics.bytes_staged / 1024 << " KiB for batches\n";
          const bool reads_all = search.settings.count || search.ablation.exhaustive;
          EXPECT_EQ(statistics.bytes_staged > 0, reads_all) << what;
          const std::uint64_t staged = statistics.bytes_staged;
          const std::span<const PlannedQuery> few(fixture.plans.data(), 20);
          const std::vector<SearchResult> first(right.begin(), right.begin() + 20);
          expect_equal(first, searcher.run(few, search.settings), search.settings.count,
                       what + ", few");
          EXPECT_EQ(searcher.statistics().bytes_staged, staged) << "few are not worth it";
          searcher.submit(fixture.plans, search.settings);  // and dropped
        }
        EXPECT_EQ(cached.memory_left(), left) << what;
      }
    }
  }
}

/// As little as the tools that watch memory and barriers have time for.
TEST(GpuStage, AnswersAsTheResidentIndexSmall) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(20'000, 70, {CodecKind::kPfor, 1}, false, seed());
  const Index& index = *fixture.index;
  const test::LoneGpuIndex cached(index, {.memory = Budgets(index).at(50)});
  SearchSettings settings;
  settings.count = true;
  test::GpuSearcher searcher(cached);
  expect_equal(resident_answers(fixture, settings), searcher.run(fixture.plans, settings), true,
               "counted");
  EXPECT_GT(searcher.statistics().bytes_staged, 0U);
}

/// So many documents are looked up for a thousand answers that there is no room for them.
TEST(GpuStage, ManyAnswersInLittleMemoryAreAlike) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(2'500'000, 80, {CodecKind::kBitpack, 1}, seed() % 2 == 0, seed());
  const Index& index = *fixture.index;
  SearchSettings settings;
  settings.k = 1000;
  const std::vector<SearchResult> right = resident_answers(fixture, settings);
  const Budgets budgets(index);
  for (const std::size_t percent : {40, 80}) {
    const std::size_t memory = budgets.at(percent);
    const test::LoneGpuIndex cached(index, {.memory = memory});
    ASSERT_FALSE(cached.is_resident());
    test::GpuSearcher searcher(cached);
    const std::string what = std::to_string(memory >> 10) + " KiB";
    for (int pass = 0; pass < 2; ++pass) {
      expect_equal(right, searcher.run(fixture.plans, settings), false, what);
    }
    const GpuStatistics statistics = searcher.statistics();
    EXPECT_EQ(statistics.unanswered_queries, 0U) << what;
    std::cout << what << ": " << statistics.parts << " parts, " << statistics.candidates_lost
              << " begun again\n";
  }
}

TEST(GpuStage, SeveralThreadsBringListsOfTheirOwn) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(150'000, 150, {CodecKind::kRice, 1}, false, seed());
  const Index& index = *fixture.index;
  const Budgets budgets(index);
  SearchSettings settings;
  settings.k = 100;
  settings.count = true;
  const std::vector<SearchResult> right = resident_answers(fixture, settings);
  for (const std::size_t percent : {40U, 90U}) {
    const test::LoneGpuIndex cached(index, {.memory = budgets.at(percent)});
    const std::size_t left = cached.memory_left();
    std::atomic<std::uint64_t> staged = 0;
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937_64 random = generator(1000 * percent + thread);
        test::GpuSearcher searcher(cached);
        for (int round = 0; round < 4; ++round) {
          std::vector<PlannedQuery> plans = fixture.plans;
          std::vector<std::size_t> order(plans.size());
          std::iota(order.begin(), order.end(), std::size_t{0});
          std::shuffle(order.begin(), order.end(), random);
          std::vector<SearchResult> expected;
          for (std::size_t i = 0; i < order.size(); ++i) {
            plans[i] = fixture.plans[order[i]];
            expected.push_back(right[order[i]]);
          }
          expect_equal(expected, searcher.run(plans, settings), true, "a thread's");
        }
        staged += searcher.statistics().bytes_staged;
      });
    }
    threads.clear();
    EXPECT_GT(staged, 0U) << percent << " %";
    EXPECT_EQ(cached.memory_left(), left) << percent << " %";
  }
}

}  // namespace
}  // namespace warpdex
