// The permutation index on a GPU gives the CPU's answers, to the bit, and those of brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/vector/metric/gpu_metric_support.hpp"
#include "tests/vector/metric/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex::metric {
namespace {

const Strings kLetters{"a", "b", "c", "d", "e"};
constexpr RankDistance kAllCompares[] = {RankDistance::kFootrule, RankDistance::kRho,
                                         RankDistance::kTau, RankDistance::kBits};

TEST_F(GpuMetric, ExactSearchIsBruteForce) {
  auto random = test::generator(201);
  for (const std::size_t count : {1, 2, 31, 32, 33, 127, 129, 1000}) {
    const Strings words = draw_texts(random, count, 9, kLetters);
    const Objects objects({}, words, "words");
    const BothSides both(objects, std::min<std::size_t>(count, 20));
    const Strings queries = draw_texts(random, 17, 9, kLetters);
    Matches expected(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (std::uint32_t i = 0; i < count; ++i) {
        expected[q].push_back(
            {i, static_cast<float>(reference::levenshtein(queries[q], words[i]))});
      }
      std::stable_sort(expected[q].begin(), expected[q].end(),
                       [](const Match& a, const Match& b) { return a.distance < b.distance; });
    }
    for (const std::optional<double> share : {std::optional<double>(), std::optional<double>(1)}) {
      expect_same(both.gpu().nearest(as_queries(queries), count, {.share = share}), expected,
                  std::to_string(count) + " words");
    }
    for (const float radius : {0.0F, 1.0F, 2.5F, 100.0F}) {
      Matches near = expected;
      for (auto& matches : near) {
        std::erase_if(matches, [&](const Match& match) { return match.distance > radius; });
      }
      expect_same(both.gpu().within(as_queries(queries), radius, {.share = std::nullopt}), near,
                  std::to_string(count) + " words, radius " + std::to_string(radius));
    }
  }
}

TEST_F(GpuMetric, CandidatesAreTheCpus) {
  auto random = test::generator(202);
  const Strings words = draw_texts(random, 5000, 9, kLetters);
  const Objects objects({}, words, "words");
  for (const std::size_t permutants :
       {1, 2, 31, 32, 33, 64, 127, 128, 129, 181, 182, 256, 257, 2048}) {
    const BothSides both(objects, permutants);
    const Strings queries = draw_texts(random, 5, 9, kLetters);
    for (const RankDistance compare : kAllCompares) {
      for (const double share : {0.0001, 0.01, 0.1, 0.9999}) {
        // The CPU takes seconds for Kendall's tau of so many.
        if (permutants == 2048 && compare == RankDistance::kTau && share != 0.1) continue;
        const MetricSearchSettings settings{.share = share, .compare = compare};
        const std::string what = std::to_string(permutants) + " permutants, " +
                                 std::string(rank_distance_name(compare)) + ", share " +
                                 std::to_string(share);
        both.expect_within(as_queries(queries), kNoLimit, settings, what);
        both.expect_nearest(as_queries(queries), 3, settings, what);
      }
    }
  }
}

TEST_F(GpuMetric, AnyNumberOfQueries) {
  auto random = test::generator(203);
  const Strings words = draw_texts(random, 700, 9, kLetters);
  const Objects objects({}, words, "words");
  const BothSides both(objects, 33);
  for (const std::size_t count : {0, 1, 2, 15, 16, 17, 31, 33, 129, 1100}) {
    const Strings queries = draw_texts(random, count, 9, kLetters);
    const std::string what = std::to_string(count) + " queries";
    both.expect_nearest(as_queries(queries), 4, {}, what);
    both.expect_nearest(as_queries(queries), 200, {.share = std::nullopt}, what);
    both.expect_within(as_queries(queries), 2, {}, what);
    both.expect_within(as_queries(queries), 1, {.share = std::nullopt}, what);
  }
}

TEST_F(GpuMetric, MoreMatchesThanTheGpuSorts) {
  auto random = test::generator(204);
  const Strings words = draw_texts(random, 3000, 6, kLetters);
  const Objects objects({}, words, "words");
  const BothSides both(objects, 16);
  const Strings queries = draw_texts(random, 400, 6, kLetters);
  both.expect_within(as_queries(queries), kNoLimit, {.share = std::nullopt}, "all");
  both.expect_within(as_queries(queries), kNoLimit, {.share = 0.95}, "nearly all");
  both.expect_nearest(as_queries({"abc", ""}), 3000, {.share = std::nullopt}, "all sorted");
}

TEST_F(GpuMetric, EqualObjectsComeInTheirOrder) {
  const Strings words(5000, "abc");
  const Objects objects({}, words, "words");
  const BothSides both(objects, 40);
  const Strings queries{"abc", "abd", ""};
  for (const double share : {0.001, 0.3, 0.9}) {
    both.expect_nearest(as_queries(queries), 5, {.share = share}, "equal");
    both.expect_within(as_queries(queries), 3, {.share = share}, "equal");
  }
}

TEST_F(GpuMetric, LittleMemoryMakesSmallBlocks) {
  auto random = test::generator(205);
  const Strings words = draw_texts(random, 20'000, 9, kLetters);
  const Objects objects({}, words, "words");
  const Strings queries = draw_texts(random, 100, 90, kLetters);
  // The objects take 2 MB, a query of a full scan 80 KB, selection 8 MB.
  const BothSides both(objects, 64, std::size_t{14} << 20);
  both.expect_nearest(as_queries(queries), 3, {}, "14 MiB");
  both.expect_within(as_queries(queries), 4, {}, "14 MiB");
  both.expect_nearest(as_queries(queries), 3, {.share = std::nullopt}, "14 MiB");
  EXPECT_THROW(BothSides(objects, 64, std::size_t{1} << 20), Error);
  const BothSides few(objects, 64, std::size_t{3} << 20);
  EXPECT_THROW(few.gpu().nearest(as_queries(queries), 3), Error);
}

TEST_F(GpuMetric, ThreadsSearchAtOnce) {
  auto random = test::generator(206);
  const Strings words = draw_texts(random, 3000, 9, kLetters);
  const Objects objects({}, words, "words");
  const BothSides both(objects, 64);
  const Strings queries = draw_texts(random, 40, 9, kLetters);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        both.expect_nearest(as_queries(queries), 1 + t, {}, "thread " + std::to_string(t));
        both.expect_within(as_queries(queries), 2, {}, "thread " + std::to_string(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(GpuMetric, RefusesWhatTheCpuRefuses) {
  const Strings words{"ab", "cd", "ef"};
  const Objects objects({.distance = DistanceKind::kHamming}, words, "words");
  const BothSides both(objects, 2);
  const Strings queries{"ab"};
  EXPECT_THROW(both.gpu().nearest(as_queries(queries), 0), UsageError);
  EXPECT_EQ(both.gpu().nearest(as_queries(queries), 4, {.share = 1.0}).front().size(), 3U);
  EXPECT_THROW(both.gpu().nearest(as_queries(queries), 1, {.share = 0.0}), UsageError);
  EXPECT_THROW(both.gpu().within(as_queries(queries), -1), UsageError);
  EXPECT_THROW(both.gpu().nearest(as_queries({"abc"}), 1), InputError);
  const std::vector<float> vector{1, 2};
  EXPECT_THROW(both.gpu().nearest({{}, vector}, 1), UsageError);
  const Objects rows({.distance = DistanceKind::kAngular, .dimension = 2}, {1, 0, 0, 1}, "rows");
  const BothSides vectors(rows, 2);
  EXPECT_THROW(vectors.gpu().nearest(as_queries(queries), 1), UsageError);
  EXPECT_THROW(vectors.gpu().nearest({{}, std::span(vector).first(1)}, 1), UsageError);
  EXPECT_THROW(vectors.gpu().nearest({{}, std::vector<float>{0, 0}}, 1), InputError);
}

TEST_F(GpuMetric, StoredIndexes) {
  auto random = test::generator(207);
  const test::TemporaryFolder folder(test::place_in_memory());
  const Strings words = draw_texts(random, 2000, 9, kLetters);
  write_metric_index(folder / "index", Objects({}, words, "words"), {.permutants = 64});
  const MetricIndex index = MetricIndex::open(folder / "index");
  check_before_upload(index);
  const GpuPermutationSearcher gpu(index.objects(), index.permutants(), index.permutations(),
                                   gpu_resources());
  const Strings queries = draw_texts(random, 30, 9, kLetters);
  const auto prepare = [&](std::size_t q) { return index.space().from_text(queries[q]); };
  expect_same(gpu.nearest(as_queries(queries), 5),
              index.searcher().nearest(queries.size(), prepare, 5), "stored");
}

}  // namespace
}  // namespace warpdex::metric
