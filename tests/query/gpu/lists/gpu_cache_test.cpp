// The GPU engine with less memory than the index: budgets from hardly anything to nearly all, and
// answers that are those of an index that is all in GPU memory, or the oracle's, bit for bit.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include "generate/generator.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/query/gpu/lists/gpu_cache_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex {
namespace {

using test::Budgets;
using test::expect_equal;
using test::GeneratedFixture;
using test::resident_answers;

std::vector<SearchSettings> all_modes() {
  std::vector<SearchSettings> all;
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
    for (const std::uint32_t k : {10U, 1000U}) {
      SearchSettings settings;
      settings.mode = mode;
      settings.k = k;
      settings.count = k == 10 && mode == QueryMode::kAnd;
      all.push_back(settings);
    }
  }
  return all;
}

/// Returns when the GPU has nothing left to do, so that what was to come in is there.
void wait_for_gpu() { DeviceBuffer(1); }  // to free memory waits

/// What a searcher has done between two moments.
GpuStatistics difference(const GpuStatistics& before, const GpuStatistics& after) {
  GpuStatistics between;
  between.unanswered_queries = after.unanswered_queries - before.unanswered_queries;
  between.cache_hits = after.cache_hits - before.cache_hits;
  between.cache_misses = after.cache_misses - before.cache_misses;
  between.bytes_uploaded = after.bytes_uploaded - before.bytes_uploaded;
  return between;
}

/// Answers the plans in batches of `size`; compares them with `right` and says what was done.
GpuStatistics run_log(test::GpuSearcher& searcher, std::span<const PlannedQuery> plans,
                      std::size_t size, const std::vector<SearchResult>& right) {
  const GpuStatistics before = searcher.statistics();
  for (std::size_t first = 0; first < plans.size(); first += size) {
    const auto batch = plans.subspan(first, std::min(size, plans.size() - first));
    const std::vector<SearchResult> answers = searcher.run(batch, {});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(right[first + i].hits, answers[i].hits) << "query " << first + i;
    }
    wait_for_gpu();
  }
  return difference(before, searcher.statistics());
}

class GpuCacheBudgets : public testing::TestWithParam<int> {};

TEST_P(GpuCacheBudgets, AnswersAsTheResidentIndex) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const auto turn = static_cast<std::size_t>(GetParam());
  const std::vector<CodecSettings> codecs = test::all_codecs();
  const std::uint64_t seed = test::seed() + turn;
  const GeneratedFixture fixture(150'000, 120, codecs[(seed + turn) % codecs.size()], turn % 2 == 1,
                                 seed);
  const Index& index = *fixture.index;
  const Budgets budgets(index);
  ASSERT_LT(budgets.min, budgets.resident);
  std::vector<std::vector<SearchResult>> right;
  for (const SearchSettings& settings : all_modes()) {
    right.push_back(resident_answers(fixture, settings));
  }
  for (const std::size_t percent : {0, 2, 10, 30, 50, 75, 95, 100}) {
    const std::size_t memory = budgets.at(percent);
    const test::LoneGpuIndex cached(index, {.memory = memory});
    EXPECT_EQ(cached.is_resident(), percent == 100);
    const std::size_t left = cached.memory_left();
    EXPECT_LE(cached.memory() + left, memory);
    {
      test::GpuSearcher searcher(cached);
      const std::vector<SearchSettings> modes = all_modes();
      for (std::size_t mode = 0; mode < modes.size(); ++mode) {
        const std::string what = reference::describe(modes[mode]) + " at " +
                                 std::to_string(percent) + " % = " + std::to_string(memory);
        ASSERT_NO_FATAL_FAILURE(expect_equal(right[mode], searcher.run(fixture.plans, modes[mode]),
                                             modes[mode].count, what));
      }
      const GpuStatistics statistics = searcher.statistics();
      EXPECT_EQ(statistics.queries + statistics.unanswered_queries,
                fixture.plans.size() * modes.size());
      EXPECT_GT(statistics.queries, statistics.unanswered_queries);
      if (percent >= 75) {
        EXPECT_EQ(statistics.unanswered_queries, 0U);
      }
      EXPECT_EQ(statistics.cache_hits + statistics.cache_misses,
                percent == 100 ? 0 : fixture.long_list_uses() * modes.size());
      if (percent >= 50 && percent < 100) {
        EXPECT_GT(statistics.bytes_uploaded, 0U);
      }
      std::cout << percent << " %: " << memory / 1024 << " KiB, " << statistics.cache_hits
                << " hits, " << statistics.cache_misses << " misses, "
                << statistics.bytes_uploaded / 1024 << " KiB uploaded, "
                << statistics.unanswered_queries << " by the CPU\n";
    }
    EXPECT_EQ(cached.memory_left(), left);
  }
}

INSTANTIATE_TEST_SUITE_P(Turns, GpuCacheBudgets, testing::Range(0, 4));

TEST(GpuCache, ALogThatIsRepeatedComesToRest) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(150'000, 120, {CodecKind::kBitpack, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const Budgets budgets(index);
  const std::vector<SearchResult> right = resident_answers(fixture);
  for (const std::size_t batch : {std::size_t{1}, std::size_t{7}, fixture.plans.size()}) {
    const test::LoneGpuIndex cached(index, {.memory = budgets.at(50)});
    test::GpuSearcher searcher(cached);
    const GpuStatistics cold = run_log(searcher, fixture.plans, batch, right);
    EXPECT_GT(cold.bytes_uploaded, 0U);
    EXPECT_LE(cold.bytes_uploaded, batch == fixture.plans.size() ? cached.memory() : ~0ULL);
    GpuStatistics warm;
    for (int pass = 0; pass < 20; ++pass) {
      warm = run_log(searcher, fixture.plans, batch, right);
    }
    EXPECT_EQ(warm.bytes_uploaded, 0U) << "in batches of " << batch;
    EXPECT_GT(warm.cache_hits, warm.cache_misses) << "in batches of " << batch;
    EXPECT_GT(warm.cache_hits, cold.cache_hits) << "in batches of " << batch;
    test::GpuSearcher other(cached);
    const GpuStatistics shared = run_log(other, fixture.plans, batch, right);
    EXPECT_EQ(shared.cache_hits, warm.cache_hits) << "it is the index's, not the searcher's";
  }
}

TEST(GpuCache, AnotherLogTakesThePlaceOfThoseBefore) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(150'000, 200, {CodecKind::kRice, 1}, true, test::seed());
  const Index& index = *fixture.index;
  const Budgets budgets(index);
  const std::vector<SearchResult> right = resident_answers(fixture);
  const test::LoneGpuIndex cached(index, {.memory = budgets.at(30)});
  test::GpuSearcher searcher(cached);
  const std::span<const PlannedQuery> plans(fixture.plans);
  const std::vector<SearchResult> right_second(right.begin() + 100, right.end());
  for (int pass = 0; pass < 2; ++pass) run_log(searcher, plans.first(100), 10, right);
  const GpuStatistics first = run_log(searcher, plans.subspan(100), 10, right_second);
  GpuStatistics last;
  for (int pass = 0; pass < 20; ++pass) {
    last = run_log(searcher, plans.subspan(100), 10, right_second);
  }
  EXPECT_GT(last.cache_hits, 2 * first.cache_hits);
}

/// Without page-locked memory for all lists, those that are not in GPU memory are the CPU's.
TEST(GpuCache, WhatCannotBeReadInPlaceIsAnsweredAllTheSame) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(150'000, 120, {CodecKind::kPfor, 4}, false, test::seed());
  const Index& index = *fixture.index;
  const Budgets budgets(index);
  const std::vector<SearchResult> right = resident_answers(fixture);
  const std::size_t lists = index.sections().docids.size() + index.sections().frequencies.size();
  for (const std::size_t host_memory : {std::size_t{1}, lists / 3}) {
    for (const std::size_t percent : {0U, 60U, 95U}) {
      const test::LoneGpuIndex cached(index,
                                      {.memory = budgets.at(percent), .host_memory = host_memory});
      test::GpuSearcher searcher(cached);
      const GpuStatistics cold = run_log(searcher, fixture.plans, 10, right);
      GpuStatistics warm;
      for (int pass = 0; pass < 10; ++pass) {
        warm = run_log(searcher, fixture.plans, 10, right);
      }
      EXPECT_GT(cold.unanswered_queries, 0U) << percent << " %, " << host_memory;
      EXPECT_EQ(cold.cache_hits + cold.cache_misses, fixture.long_list_uses());
      if (percent == 0) continue;  // not even what is known of the lists' blocks has room
      EXPECT_LT(warm.unanswered_queries, cold.unanswered_queries)
          << percent << " %, " << host_memory;
      EXPECT_GT(warm.cache_hits, cold.cache_hits) << percent << " %, " << host_memory;
    }
  }
}

TEST(GpuCache, TwoIndexesHaveTheirOwn) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture one(100'000, 60, {CodecKind::kBitpack, 1}, false, test::seed());
  const GeneratedFixture two(60'000, 60, {CodecKind::kPforBlock, 1}, true, test::seed() + 1);
  std::vector<std::unique_ptr<test::LoneGpuIndex>> cached;
  std::vector<std::vector<SearchResult>> right;
  for (const GeneratedFixture* fixture : {&one, &two}) {
    right.push_back(resident_answers(*fixture));
    const std::size_t memory = Budgets(*fixture->index).at(50);
    cached.push_back(
        std::make_unique<test::LoneGpuIndex>(*fixture->index, ResourceSettings{.memory = memory}));
  }
  test::GpuSearcher first(*cached[0]);
  test::GpuSearcher second(*cached[1]);
  for (int pass = 0; pass < 3; ++pass) {
    first.submit(one.plans, {});
    second.submit(two.plans, {});
    expect_equal(right[0], first.wait(), false, "the first");
    expect_equal(right[1], second.wait(), false, "the second");
  }
}

TEST(GpuCache, TwoIndexesShareOneBudget) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture one(100'000, 60, {CodecKind::kBitpack, 1}, false, test::seed());
  const GeneratedFixture two(60'000, 60, {CodecKind::kPforBlock, 1}, true, test::seed() + 1);
  const std::size_t all_of_one = Budgets(*one.index).resident;
  const std::vector<std::vector<SearchResult>> right{resident_answers(one), resident_answers(two)};
  Resources resources({.memory = all_of_one + all_of_one / 2});
  {
    const GpuIndex first(*one.index, resources, {.memory = all_of_one});
    EXPECT_TRUE(first.is_resident());
    const GpuIndex second(*two.index, resources);  // has what the first leaves
    test::GpuSearcher first_searcher(first);
    test::GpuSearcher second_searcher(second);
    for (int pass = 0; pass < 3; ++pass) {
      first_searcher.submit(one.plans, {});
      second_searcher.submit(two.plans, {});
      expect_equal(right[0], first_searcher.wait(), false, "the first");
      expect_equal(right[1], second_searcher.wait(), false, "the second");
      EXPECT_LE(resources.memory().used(), resources.memory().limit());
    }
    EXPECT_GE(resources.memory().used(), first.memory() + second.memory());
    EXPECT_THROW(GpuIndex(*one.index, resources, {.memory = 100'000}), UsageError);
  }
  EXPECT_EQ(resources.memory().used(), 0U);
  EXPECT_EQ(resources.host_memory().used(), 0U);
}

TEST(GpuCache, SeveralThreadsShareIt) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(150'000, 120, {CodecKind::kPforBlock, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const Budgets budgets(index);
  SearchSettings settings;
  const std::vector<SearchResult> right = resident_answers(fixture, settings);
  for (const std::size_t percent : {5U, 40U, 90U}) {
    const test::LoneGpuIndex cached(index, {.memory = budgets.at(percent)});
    const std::size_t left = cached.memory_left();
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937_64 random = test::generator(1000 * percent + thread);
        test::GpuSearcher searcher(cached);
        std::vector<std::size_t> order(fixture.plans.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (int round = 0; round < 4; ++round) {
          std::shuffle(order.begin(), order.end(), random);
          std::vector<PlannedQuery> plans;
          std::vector<SearchResult> expected;
          for (const std::size_t query : order) {
            plans.push_back(fixture.plans[query]);
            expected.push_back(right[query]);
          }
          for (std::size_t first = 0; first < plans.size();) {
            const std::size_t count =
                std::min<std::size_t>(1 + random() % 50, plans.size() - first);
            const auto batch = std::span(plans).subspan(first, count);
            const std::vector<SearchResult> given = searcher.run(batch, settings);
            for (std::size_t i = 0; i < count; ++i) {
              EXPECT_EQ(given[i].hits, expected[first + i].hits);
            }
            first += count;
          }
        }
      });
    }
    threads.clear();
    EXPECT_EQ(cached.memory_left(), left);
  }
}

/// All that the index holds, as the oracle takes it.
reference::Collection read_collection(const Index& index) {
  std::vector<std::vector<std::string>> terms(index.counts().documents);
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings postings = read_postings(index, entry);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      terms[postings.docids[i]].insert(terms[postings.docids[i]].end(), postings.frequencies[i],
                                       std::string(term));
    }
  });
  reference::Collection collection;
  for (std::size_t document = 0; document < terms.size(); ++document) {
    const std::vector<std::string_view> views(terms[document].begin(), terms[document].end());
    collection.add_document_of_length(views, index.lengths()[document]);
  }
  return collection;
}

TEST(GpuCache, AgreesWithTheOracleSmall) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(20'000, 30, {CodecKind::kRice, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const reference::Collection collection = read_collection(index);
  const test::LoneGpuIndex cached(index, {.memory = Budgets(index).at(50)});
  ASSERT_FALSE(cached.is_resident());
  test::GpuSearcher searcher(cached);
  for (const SearchSettings& settings : all_modes()) {
    const std::vector<SearchResult> results = searcher.run(fixture.plans, settings);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Query query = reference::query_from(fixture.texts[i].text);
      const test::Truth truth = test::find_truth(collection, query, settings);
      ASSERT_EQ(test::judge(truth, results[i], settings), "")
          << reference::describe(settings) << ' ' << fixture.texts[i].text;
    }
  }
}

TEST(GpuCache, ABatchThatIsDroppedOrNotAnsweredLeavesNothingBehind) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(20'000, 30, {CodecKind::kBitpack, 1}, true, test::seed());
  const Index& index = *fixture.index;
  const test::LoneGpuIndex cached(index, {.memory = Budgets(index).at(50)});
  const std::size_t left = cached.memory_left();
  SearchSettings settings;
  { test::GpuSearcher(cached).submit(fixture.plans, settings); }
  EXPECT_EQ(cached.memory_left(), left);
  test::GpuSearcher searcher(cached);
  std::vector<PlannedQuery> unanswered = fixture.plans;
  const auto wide = std::ranges::find_if(
      unanswered, [](const PlannedQuery& query) { return !query.terms.empty(); });
  ASSERT_NE(wide, unanswered.end());
  for (PlannedTerm& term : wide->terms) term.weight = 1U << 20;  // its sum could pass 2^24
  searcher.run(unanswered, settings);
  expect_equal(resident_answers(fixture, settings), searcher.run(fixture.plans, settings), false,
               "after the query that the GPU left");
}

TEST(GpuCache, WhatDoesNotEvenHoldTheLengthsIsRefused) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(20'000, 10, {CodecKind::kBitpack, 1}, false, test::seed());
  try {
    test::LoneGpuIndex(*fixture.index, {.memory = 100'000});
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("needs"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--gpu-memory"), std::string::npos) << error.what();
  }
}

TEST(GpuCache, MemoryComesBack) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(20'000, 10, {CodecKind::kBitpack, 1}, false, test::seed());
  SearchSettings settings;
  std::size_t free_memory = 0;
  for (int round = 0; round < 3; ++round) {
    {
      const test::LoneGpuIndex cached(*fixture.index, {.memory = std::size_t{3} << 20});
      test::GpuSearcher searcher(cached);
      searcher.run(fixture.plans, settings);
    }
    const std::size_t now = device_info(0).free_memory;
    if (round == 1) free_memory = now;  // by then CUDA has loaded what it keeps
    if (round == 2) {
      EXPECT_EQ(now, free_memory);
    }
  }
}

TEST(GpuCache, TellsWhichListsAreThere) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const GeneratedFixture fixture(150'000, 60, {}, false, test::seed());
  const Budgets budgets(*fixture.index);
  const auto lists_there = [&](const GpuIndex& index) {
    std::size_t there = 0;
    for (const PlannedQuery& plan : fixture.plans) {
      for (const PlannedTerm& term : plan.terms) {
        if (!term.entry.is_short() && index.has_list(term.entry)) ++there;
      }
    }
    return there;
  };
  const test::LoneGpuIndex whole(*fixture.index, {.memory = budgets.resident});
  EXPECT_EQ(lists_there(whole), fixture.long_list_uses());
  const test::LoneGpuIndex half(*fixture.index, {.memory = budgets.at(50)});
  EXPECT_EQ(lists_there(half), 0U);
  test::GpuSearcher searcher(half);
  for (int i = 0; i < 20; ++i) {
    searcher.run(fixture.plans, {});
    wait_for_gpu();
  }
  const std::size_t there = lists_there(half);
  EXPECT_GT(there, 0U);
  EXPECT_LT(there, fixture.long_list_uses());
  // The next batch finds these, and those that have arrived since.
  const std::uint64_t hits = searcher.statistics().cache_hits;
  searcher.run(fixture.plans, {});
  EXPECT_GE(searcher.statistics().cache_hits - hits, there);
}

}  // namespace
}  // namespace warpdex
