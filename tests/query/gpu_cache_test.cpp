// The GPU engine with less memory than the index: budgets from hardly anything to nearly all, and
// answers that are those of an index that is all in GPU memory, or the oracle's, bit for bit.
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include "tests/query/engine_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/generate/generator.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"

namespace warpdex {
namespace {

/// A generated index with its planned queries. Its lists are a few megabytes.
struct Fixture {
  Fixture(std::uint32_t documents, std::uint32_t count, const CodecSettings& codec, bool impacts,
          std::uint64_t seed) {
    generate::GeneratorSettings settings = generate::gov2_settings();
    settings.documents = documents;
    settings.queries = count;
    settings.seed = seed;
    generate::GeneratorReport report;
    texts =
        generate::generate_collection(settings, codec, impacts, folder / "index", 2, {}, report);
    index.emplace(Index::open(folder / "index"));
    for (const generate::GeneratedQuery& query : texts) {
      plans.push_back(plan_query(*index, reference::query_from(query.text)));
    }
  }

  /// Uses of lists that have blocks, over all queries.
  std::uint64_t long_list_uses() const {
    std::uint64_t uses = 0;
    for (const PlannedQuery& plan : plans) {
      for (const PlannedTerm& term : plan.terms) uses += term.entry.is_short() ? 0 : 1;
    }
    return uses;
  }

  test::TemporaryFolder folder;
  std::vector<generate::GeneratedQuery> texts;
  std::optional<Index> index;
  std::vector<PlannedQuery> plans;
};

std::vector<SearchResult> copy(const GpuAnswers& answers) {
  std::vector<SearchResult> results;
  for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
  return results;
}

void expect_equal(const std::vector<SearchResult>& right, const std::vector<SearchResult>& given,
                  bool counted, const std::string& what) {
  ASSERT_EQ(right.size(), given.size()) << what;
  for (std::size_t i = 0; i < right.size(); ++i) {
    ASSERT_EQ(right[i].hits, given[i].hits) << what << " query " << i;
    ASSERT_EQ(right[i].fell_back_to_or, given[i].fell_back_to_or) << what << " query " << i;
    if (counted) {
      ASSERT_EQ(right[i].matches, given[i].matches) << what << " query " << i;
    }
  }
}

bool fits(const Index& index, std::size_t memory) {
  try {
    GpuIndex(index, {.memory = memory});
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

/// The least budget that is not refused, to 4 KiB.
std::size_t least_budget(const Index& index) {
  std::size_t refused = 1;
  std::size_t taken = std::size_t{1} << 27;
  while (taken - refused > 4096) {
    const std::size_t middle = (taken + refused) / 2;
    (fits(index, middle) ? taken : refused) = middle;
  }
  return taken;
}

/// The least that all lists fit into, to 4 KiB.
std::size_t resident_budget(const Index& index, std::size_t least) {
  std::size_t cached = least;
  std::size_t resident = std::size_t{1} << 28;
  while (resident - cached > 4096) {
    const std::size_t middle = (resident + cached) / 2;
    (GpuIndex(index, {.memory = middle}).is_resident() ? resident : cached) = middle;
  }
  return resident;
}

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
  between.cpu_queries = after.cpu_queries - before.cpu_queries;
  between.cache_hits = after.cache_hits - before.cache_hits;
  between.cache_misses = after.cache_misses - before.cache_misses;
  between.bytes_uploaded = after.bytes_uploaded - before.bytes_uploaded;
  return between;
}

/// Answers the plans in batches of `size`; compares them with `right` and says what was done.
GpuStatistics run_log(GpuSearcher& searcher, std::span<const PlannedQuery> plans, std::size_t size,
                      const std::vector<SearchResult>& right) {
  const GpuStatistics before = searcher.statistics();
  for (std::size_t first = 0; first < plans.size(); first += size) {
    const auto batch = plans.subspan(first, std::min(size, plans.size() - first));
    const GpuAnswers answers = searcher.run(batch, {});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(right[first + i].hits, answers.result(i).hits) << "query " << first + i;
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
  const Fixture fixture(150'000, 120, codecs[(seed + turn) % codecs.size()], turn % 2 == 1, seed);
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const std::size_t most = resident_budget(index, least);
  ASSERT_LT(least, most);
  const GpuIndex resident(index, {});
  ASSERT_TRUE(resident.is_resident());
  std::vector<std::vector<SearchResult>> right;
  for (const SearchSettings& settings : all_modes()) {
    GpuSearcher searcher(resident);
    right.push_back(copy(searcher.run(fixture.plans, settings)));
    EXPECT_EQ(searcher.statistics().cache_hits + searcher.statistics().cache_misses, 0U);
  }
  for (const int percent : {0, 2, 10, 30, 50, 75, 95, 100}) {
    const std::size_t memory = least + (most - least) * static_cast<std::size_t>(percent) / 100;
    const GpuIndex cached(index, {.memory = memory});
    EXPECT_EQ(cached.is_resident(), percent == 100);
    const std::size_t left = cached.memory_left();
    EXPECT_LE(cached.memory() + left, memory);
    {
      GpuSearcher searcher(cached);
      const std::vector<SearchSettings> modes = all_modes();
      for (std::size_t mode = 0; mode < modes.size(); ++mode) {
        const std::string what = reference::describe(modes[mode]) + " at " +
                                 std::to_string(percent) + " % = " + std::to_string(memory);
        ASSERT_NO_FATAL_FAILURE(expect_equal(
            right[mode], copy(searcher.run(fixture.plans, modes[mode])), modes[mode].count, what));
      }
      const GpuStatistics& statistics = searcher.statistics();
      EXPECT_EQ(statistics.gpu_queries + statistics.cpu_queries,
                fixture.plans.size() * modes.size());
      EXPECT_GT(statistics.gpu_queries, statistics.cpu_queries);
      if (percent >= 75) {
        EXPECT_EQ(statistics.cpu_queries, 0U);
      }
      EXPECT_EQ(statistics.cache_hits + statistics.cache_misses,
                percent == 100 ? 0 : fixture.long_list_uses() * modes.size());
      if (percent >= 50 && percent < 100) {
        EXPECT_GT(statistics.bytes_uploaded, 0U);
      }
      std::cout << percent << " %: " << memory / 1024 << " KiB, " << statistics.cache_hits
                << " hits, " << statistics.cache_misses << " misses, "
                << statistics.bytes_uploaded / 1024 << " KiB uploaded, " << statistics.cpu_queries
                << " by the CPU\n";
    }
    EXPECT_EQ(cached.memory_left(), left);
  }
}

INSTANTIATE_TEST_SUITE_P(Turns, GpuCacheBudgets, testing::Range(0, 4));

TEST(GpuCache, ALogThatIsRepeatedComesToRest) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(150'000, 120, {CodecKind::kBitpack, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const std::size_t most = resident_budget(index, least);
  const GpuIndex resident(index, {});
  GpuSearcher reference_searcher(resident);
  const std::vector<SearchResult> right = copy(reference_searcher.run(fixture.plans, {}));
  for (const std::size_t batch : {std::size_t{1}, std::size_t{7}, fixture.plans.size()}) {
    const GpuIndex cached(index, {.memory = least + (most - least) / 2});
    GpuSearcher searcher(cached);
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
    GpuSearcher other(cached);
    const GpuStatistics shared = run_log(other, fixture.plans, batch, right);
    EXPECT_EQ(shared.cache_hits, warm.cache_hits) << "it is the index's, not the searcher's";
  }
}

TEST(GpuCache, AnotherLogTakesThePlaceOfThoseBefore) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(150'000, 200, {CodecKind::kRice, 1}, true, test::seed());
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const std::size_t most = resident_budget(index, least);
  const GpuIndex resident(index, {});
  GpuSearcher reference_searcher(resident);
  const std::vector<SearchResult> right = copy(reference_searcher.run(fixture.plans, {}));
  const GpuIndex cached(index, {.memory = least + (most - least) * 3 / 10});
  GpuSearcher searcher(cached);
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
  const Fixture fixture(150'000, 120, {CodecKind::kPfor, 4}, false, test::seed());
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const std::size_t most = resident_budget(index, least);
  const GpuIndex resident(index, {});
  GpuSearcher reference_searcher(resident);
  const std::vector<SearchResult> right = copy(reference_searcher.run(fixture.plans, {}));
  const std::size_t lists = index.sections().docids.size() + index.sections().frequencies.size();
  for (const std::size_t host_memory : {std::size_t{1}, lists / 3}) {
    for (const std::size_t percent : {0U, 60U, 95U}) {
      const GpuIndex cached(
          index, {.memory = least + (most - least) * percent / 100, .host_memory = host_memory});
      GpuSearcher searcher(cached);
      const GpuStatistics cold = run_log(searcher, fixture.plans, 10, right);
      GpuStatistics warm;
      for (int pass = 0; pass < 10; ++pass) {
        warm = run_log(searcher, fixture.plans, 10, right);
      }
      EXPECT_GT(cold.cpu_queries, 0U) << percent << " %, " << host_memory;
      EXPECT_EQ(cold.cache_hits + cold.cache_misses, fixture.long_list_uses());
      if (percent == 0) continue;  // not even what is known of the lists' blocks has room
      EXPECT_LT(warm.cpu_queries, cold.cpu_queries) << percent << " %, " << host_memory;
      EXPECT_GT(warm.cache_hits, cold.cache_hits) << percent << " %, " << host_memory;
    }
  }
}

TEST(GpuCache, TwoIndexesHaveTheirOwn) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture one(100'000, 60, {CodecKind::kBitpack, 1}, false, test::seed());
  const Fixture two(60'000, 60, {CodecKind::kPforBlock, 1}, true, test::seed() + 1);
  std::vector<std::unique_ptr<GpuIndex>> cached;
  std::vector<std::vector<SearchResult>> right;
  for (const Fixture* fixture : {&one, &two}) {
    const GpuIndex resident(*fixture->index, {});
    GpuSearcher searcher(resident);
    right.push_back(copy(searcher.run(fixture->plans, {})));
    const std::size_t least = least_budget(*fixture->index);
    const std::size_t memory = (least + resident_budget(*fixture->index, least)) / 2;
    cached.push_back(std::make_unique<GpuIndex>(*fixture->index, GpuSettings{.memory = memory}));
  }
  GpuSearcher first(*cached[0]);
  GpuSearcher second(*cached[1]);
  for (int pass = 0; pass < 3; ++pass) {
    first.submit(one.plans, {});
    second.submit(two.plans, {});
    expect_equal(right[0], copy(first.wait()), false, "the first");
    expect_equal(right[1], copy(second.wait()), false, "the second");
  }
}

TEST(GpuCache, SeveralThreadsShareIt) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(150'000, 120, {CodecKind::kPforBlock, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const std::size_t most = resident_budget(index, least);
  SearchSettings settings;
  const GpuIndex resident(index, {});
  GpuSearcher reference_searcher(resident);
  const std::vector<SearchResult> right = copy(reference_searcher.run(fixture.plans, settings));
  for (const std::size_t percent : {5U, 40U, 90U}) {
    const GpuIndex cached(index, {.memory = least + (most - least) * percent / 100});
    const std::size_t left = cached.memory_left();
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937_64 random = test::generator(1000 * percent + thread);
        GpuSearcher searcher(cached);
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
            const std::vector<SearchResult> given = copy(searcher.run(batch, settings));
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

/// What large batches bring for themselves.
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

TEST(GpuCache, LargeBatchesBringTheirLists) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::uint64_t turn = 0;
  for (const CodecSettings& codec :
       {CodecSettings{CodecKind::kBitpack, 1}, CodecSettings{CodecKind::kPfor, 1}}) {
    const Fixture fixture(150'000, 150, codec, turn == 1, test::seed() + turn);
    ++turn;
    const Index& index = *fixture.index;
    const std::size_t least = least_budget(index);
    const std::size_t most = resident_budget(index, least);
    const GpuIndex resident(index, {});
    for (const Staged& search : staged_searches()) {
      GpuSearcher reference_searcher(resident);
      const std::vector<SearchResult> right =
          copy(reference_searcher.run(fixture.plans, search.settings));
      EXPECT_EQ(reference_searcher.statistics().bytes_staged, 0U);
      for (const std::size_t percent : {20U, 50U, 80U}) {
        const GpuIndex cached(index, {.memory = least + (most - least) * percent / 100});
        const std::size_t left = cached.memory_left();
        const std::string what = search.name + " at " + std::to_string(percent) + " %";
        {
          GpuSearcher searcher(cached, search.ablation);
          for (int pass = 0; pass < 3; ++pass) {
            ASSERT_NO_FATAL_FAILURE(expect_equal(right,
                                                 copy(searcher.run(fixture.plans, search.settings)),
                                                 search.settings.count, what));
          }
          const GpuStatistics& statistics = searcher.statistics();
          EXPECT_EQ(statistics.cpu_queries, 0U) << what;
          std::cout << what << ": " << statistics.bytes_staged / 1024 << " KiB for batches\n";
          const bool reads_all = search.settings.count || search.ablation.exhaustive;
          EXPECT_EQ(statistics.bytes_staged > 0, reads_all) << what;
          const std::uint64_t staged = statistics.bytes_staged;
          const std::span<const PlannedQuery> few(fixture.plans.data(), 20);
          const std::vector<SearchResult> first(right.begin(), right.begin() + 20);
          expect_equal(first, copy(searcher.run(few, search.settings)), search.settings.count,
                       what + ", few");
          EXPECT_EQ(searcher.statistics().bytes_staged, staged) << "few are not worth it";
          searcher.submit(fixture.plans, search.settings);  // and dropped
        }
        EXPECT_EQ(cached.memory_left(), left) << what;
      }
    }
  }
}

/// So many documents are looked up for a thousand answers that rounds go in slices.
TEST(GpuCache, RoundsInSlicesAnswerAlike) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(2'500'000, 80, {CodecKind::kBitpack, 1}, test::seed() % 2 == 0,
                        test::seed());
  const Index& index = *fixture.index;
  const GpuIndex resident(index, {});
  SearchSettings settings;
  settings.k = 1000;
  GpuSearcher reference_searcher(resident);
  const std::vector<SearchResult> right = copy(reference_searcher.run(fixture.plans, settings));
  for (const std::size_t mebibytes : {24, 34}) {
    const GpuIndex cached(index, {.memory = mebibytes << 20});
    ASSERT_FALSE(cached.is_resident());
    GpuSearcher searcher(cached);
    for (int pass = 0; pass < 2; ++pass) {
      expect_equal(right, copy(searcher.run(fixture.plans, settings)), false,
                   std::to_string(mebibytes) + " MiB");
    }
    const GpuStatistics& statistics = searcher.statistics();
    EXPECT_EQ(statistics.cpu_queries, 0U) << mebibytes;
    std::cout << mebibytes << " MiB: " << statistics.parts << " parts, "
              << statistics.candidates_lost << " begun again\n";
  }
}

TEST(GpuCache, SeveralThreadsBringListsOfTheirOwn) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(150'000, 150, {CodecKind::kRice, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const std::size_t most = resident_budget(index, least);
  SearchSettings settings;
  settings.k = 100;
  settings.count = true;
  const GpuIndex resident(index, {});
  GpuSearcher reference_searcher(resident);
  const std::vector<SearchResult> right = copy(reference_searcher.run(fixture.plans, settings));
  for (const std::size_t percent : {40U, 90U}) {
    const GpuIndex cached(index, {.memory = least + (most - least) * percent / 100});
    const std::size_t left = cached.memory_left();
    std::atomic<std::uint64_t> staged = 0;
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        std::mt19937_64 random = test::generator(1000 * percent + thread);
        GpuSearcher searcher(cached);
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
          expect_equal(expected, copy(searcher.run(plans, settings)), true, "a thread's");
        }
        staged += searcher.statistics().bytes_staged;
      });
    }
    threads.clear();
    EXPECT_GT(staged, 0U) << percent << " %";
    EXPECT_EQ(cached.memory_left(), left) << percent << " %";
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
  const Fixture fixture(20'000, 30, {CodecKind::kRice, 1}, false, test::seed());
  const Index& index = *fixture.index;
  const reference::Collection collection = read_collection(index);
  const std::size_t least = least_budget(index);
  const GpuIndex cached(index, {.memory = (least + resident_budget(index, least)) / 2});
  ASSERT_FALSE(cached.is_resident());
  GpuSearcher searcher(cached);
  for (const SearchSettings& settings : all_modes()) {
    const std::vector<SearchResult> results = copy(searcher.run(fixture.plans, settings));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Query query = reference::query_from(fixture.texts[i].text);
      const test::Truth truth = test::find_truth(collection, query, settings);
      ASSERT_EQ(test::judge(truth, results[i], settings), "")
          << reference::describe(settings) << ' ' << fixture.texts[i].text;
    }
  }
}

TEST(GpuCache, ABatchThatIsDroppedOrRefusedLeavesNothingBehind) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(20'000, 30, {CodecKind::kBitpack, 1}, true, test::seed());
  const Index& index = *fixture.index;
  const std::size_t least = least_budget(index);
  const GpuIndex cached(index, {.memory = (least + resident_budget(index, least)) / 2});
  const std::size_t left = cached.memory_left();
  SearchSettings settings;
  { GpuSearcher(cached).submit(fixture.plans, settings); }
  EXPECT_EQ(cached.memory_left(), left);
  GpuSearcher searcher(cached);
  std::vector<PlannedQuery> refused = fixture.plans;
  const auto wide =
      std::ranges::find_if(refused, [](const PlannedQuery& query) { return !query.terms.empty(); });
  ASSERT_NE(wide, refused.end());
  for (PlannedTerm& term : wide->terms) term.multiplicity = 1U << 20;
  EXPECT_THROW(searcher.run(refused, settings), UsageError) << "its sum could pass 2^24";
  const GpuIndex resident(index, {});
  GpuSearcher reference_searcher(resident);
  expect_equal(copy(reference_searcher.run(fixture.plans, settings)),
               copy(searcher.run(fixture.plans, settings)), false, "after the refusal");
}

TEST(GpuCache, WhatDoesNotEvenHoldTheLengthsIsRefused) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(20'000, 10, {CodecKind::kBitpack, 1}, false, test::seed());
  try {
    GpuIndex(*fixture.index, {.memory = 100'000});
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("needs"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--gpu-memory"), std::string::npos) << error.what();
  }
}

TEST(GpuCache, MemoryComesBack) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Fixture fixture(20'000, 10, {CodecKind::kBitpack, 1}, false, test::seed());
  SearchSettings settings;
  std::size_t free_memory = 0;
  for (int round = 0; round < 3; ++round) {
    {
      const GpuIndex cached(*fixture.index, {.memory = std::size_t{3} << 20});
      GpuSearcher searcher(cached);
      searcher.run(fixture.plans, settings);
    }
    const std::size_t now = device_info(0).free_memory;
    if (round == 1) free_memory = now;  // by then CUDA has loaded what it keeps
    if (round == 2) {
      EXPECT_EQ(now, free_memory);
    }
  }
}

}  // namespace
}  // namespace warpdex
