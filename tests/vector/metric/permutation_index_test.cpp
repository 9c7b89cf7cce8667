// The permutation index against brute force, and as it is stored.
#include "warpdex/vector/metric/permutation_index.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <set>

#include "tests/support.hpp"
#include "tests/vector/metric/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex::metric {

using Strings = std::vector<std::string>;

namespace {

Strings draw_words(std::uint64_t stream, std::size_t count) {
  auto random = test::generator(stream);
  Strings words(count);
  for (std::string& word : words) {
    for (std::size_t i = random() % 9; i > 0; --i) word += static_cast<char>('a' + random() % 5);
  }
  return words;
}

/// All objects in the order that a search gives.
std::vector<Match> in_order(const std::string& query, const Strings& words) {
  std::vector<Match> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all.push_back({static_cast<std::uint32_t>(i),
                   static_cast<float>(reference::levenshtein(query, words[i]))});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Match& a, const Match& b) { return a.distance < b.distance; });
  return all;
}

void expect_same(const std::vector<Match>& found, std::span<const Match> expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].object, expected[i].object) << "place " << i;
    ASSERT_EQ(found[i].distance, expected[i].distance) << "place " << i;
  }
}

TEST(PermutationIndex, ExactAndFullSharesAreBruteForce) {
  for (const std::size_t count : {1, 2, 31, 33, 129, 500}) {
    const test::TemporaryFolder folder(test::place_in_memory());
    const Strings words = draw_words(count, count);
    write_metric_index(folder / "index", Objects({}, words, "words"),
                       {.permutants = std::min<std::size_t>(count, 20), .threads = 2});
    const MetricIndex index = MetricIndex::open(folder / "index");
    const PermutationSearcher searcher = index.searcher();
    const Strings queries = draw_words(7, 9);
    const auto prepare = [&](std::size_t q) { return index.space().from_text(queries[q]); };
    for (const std::optional<double> share : {std::optional<double>(), std::optional<double>(1)}) {
      const MetricSearchSettings settings{.share = share, .threads = 3};
      for (const std::size_t k : {std::size_t{1}, (count + 1) / 2, count}) {
        const Matches found = searcher.nearest(queries.size(), prepare, k, settings);
        for (std::size_t q = 0; q < queries.size(); ++q) {
          std::vector<Match> expected = in_order(queries[q], words);
          expected.resize(k);
          expect_same(found[q], expected);
        }
      }
      for (const float radius : {0.0F, 1.0F, 2.5F, 100.0F, kNoLimit}) {
        const Matches found = searcher.within(queries.size(), prepare, radius, settings);
        for (std::size_t q = 0; q < queries.size(); ++q) {
          std::vector<Match> expected = in_order(queries[q], words);
          std::erase_if(expected, [&](const Match& match) { return match.distance > radius; });
          expect_same(found[q], expected);
        }
      }
    }
  }
}

/// Ranks and their distances by their definitions.
std::uint64_t rank_distance(RankDistance kind, const std::vector<std::size_t>& a,
                            const std::vector<std::size_t>& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t apart = a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
    if (kind == RankDistance::kFootrule) sum += apart;
    if (kind == RankDistance::kRho) sum += apart * apart;
    if (kind == RankDistance::kBits) {  // ranks 0 to m - 1 in 8 classes
      const std::size_t x = a[i] * 8 / a.size();
      const std::size_t y = b[i] * 8 / b.size();
      sum += (x < y ? y - x : x - y) * (x < y ? y - x : x - y);
    }
    if (kind != RankDistance::kTau) continue;
    for (std::size_t j = 0; j < i; ++j) sum += (a[i] < a[j]) != (b[i] < b[j]) ? 1U : 0U;
  }
  return sum;
}

std::vector<std::size_t> ranks_of(const std::string& text, const Strings& permutants) {
  std::vector<std::size_t> order(permutants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return reference::levenshtein(text, permutants[a]) <
           reference::levenshtein(text, permutants[b]);
  });
  std::vector<std::size_t> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

TEST(PermutationIndex, ComparesThoseWithTheMostSimilarPermutations) {
  const Strings words = draw_words(11, 400);
  const Strings queries = draw_words(12, 5);
  for (const std::size_t permutants : {1, 2, 31, 32, 33, 129, 256, 257}) {
    const Objects objects({}, words, "words");
    const auto space = make_space(objects.view());
    const auto chosen = choose_permutants(*space, {.permutants = permutants, .seed = permutants});
    const auto ranks = rank_permutants(*space, chosen, 2);
    const PermutationSearcher searcher(*space, chosen, {words.size(), permutants, ranks.data()});
    Strings permutant_words;
    for (const std::uint32_t object : chosen) permutant_words.push_back(words[object]);
    std::vector<std::vector<std::size_t>> own;
    for (const std::string& word : words) own.push_back(ranks_of(word, permutant_words));
    for (const RankDistance kind :
         {RankDistance::kFootrule, RankDistance::kRho, RankDistance::kTau, RankDistance::kBits}) {
      const Matches found = searcher.within(
          queries.size(), [&](std::size_t q) { return space->from_text(queries[q]); }, kNoLimit,
          {.share = 0.1, .compare = kind});
      for (std::size_t q = 0; q < queries.size(); ++q) {
        const auto query_ranks = ranks_of(queries[q], permutant_words);
        std::vector<std::uint32_t> order(words.size());
        std::iota(order.begin(), order.end(), 0U);
        std::vector<std::uint64_t> apart;
        for (const auto& ranks_of_word : own) {
          apart.push_back(rank_distance(kind, ranks_of_word, query_ranks));
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return apart[a] < apart[b]; });
        std::vector<std::uint32_t> compared;
        for (const Match& match : found[q]) compared.push_back(match.object);
        order.resize(40);
        EXPECT_THAT(compared, testing::UnorderedElementsAreArray(order))
            << permutants << " permutants, " << rank_distance_name(kind);
      }
    }
  }
}

TEST(PermutationIndex, RecallGrowsWithTheShare) {
  const Strings words = draw_words(21, 3000);
  const Strings queries = draw_words(22, 40);
  const Objects objects({}, words, "words");
  const auto space = make_space(objects.view());
  const auto prepare = [&](std::size_t q) { return space->from_text(queries[q]); };
  for (const Choice choice : {Choice::kRandom, Choice::kFarthest}) {
    const auto chosen = choose_permutants(*space, {.permutants = 32, .choice = choice});
    EXPECT_EQ(std::set<std::uint32_t>(chosen.begin(), chosen.end()).size(), 32U);
    const auto ranks = rank_permutants(*space, chosen);
    const PermutationSearcher searcher(*space, chosen, {words.size(), 32, ranks.data()});
    std::size_t before = 0;
    for (const double share : {0.001, 0.01, 0.1, 0.3, 1.0}) {
      const Matches found = searcher.within(queries.size(), prepare, 2, {.share = share});
      std::size_t all = 0;
      for (const auto& matches : found) all += matches.size();
      EXPECT_GE(all, before) << "those of a smaller share are among those of a larger";
      before = all;
    }
    std::size_t exact = 0;
    for (const std::string& query : queries) {
      for (const Match& match : in_order(query, words)) exact += match.distance <= 2 ? 1U : 0U;
    }
    EXPECT_EQ(before, exact);
  }
}

TEST(PermutationIndex, TakesADistanceOfOnesOwn) {
  const std::vector<int> numbers{5, 100, 7, 7, 50, -3};
  const SpaceOf<int, float (*)(const int&, const int&)> space(
      numbers, [](const int& a, const int& b) { return static_cast<float>(std::abs(a - b)); });
  const std::vector<std::uint32_t> permutants{1, 5};
  const auto ranks = rank_permutants(space, permutants);
  const PermutationSearcher searcher(space, permutants, {numbers.size(), 2, ranks.data()});
  const Matches found =
      searcher.nearest(1, [&](std::size_t) { return space.from(7); }, 3, {.share = 1.0});
  expect_same(found[0], std::vector<Match>{{2, 0}, {3, 0}, {0, 2}});
}

// A build that is interrupted ends where it tells its progress. So it tells it often, for distances
// that take long.
TEST(PermutationIndex, TellsItsProgressPermutantByPermutant) {
  const std::vector<int> numbers(200, 7);
  const SpaceOf<int, float (*)(const int&, const int&)> space(
      numbers, [](const int& a, const int& b) { return static_cast<float>(std::abs(a - b)); });
  const std::vector<std::uint32_t> permutants{5, 0, 199, 17};
  std::vector<std::uint64_t> told;
  rank_permutants(space, permutants, 1, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 800U);
    told.push_back(done);
  });
  EXPECT_EQ(told, (std::vector<std::uint64_t>{200, 400, 600, 800}));
}

TEST(PermutationIndex, RefusesWhatItCannotTake) {
  const Strings words = draw_words(31, 10);
  const Objects objects({}, words, "words");
  const auto space = make_space(objects.view());
  EXPECT_THROW(choose_permutants(*space, {.permutants = 0}), UsageError);
  EXPECT_THROW(choose_permutants(*space, {.permutants = 11}), UsageError);
  EXPECT_THROW(rank_permutants(*space, std::vector<std::uint32_t>{10}), UsageError);
  const auto chosen = choose_permutants(*space, {.permutants = 3});
  const auto ranks = rank_permutants(*space, chosen);
  EXPECT_THROW(PermutationSearcher(*space, chosen, {9, 3, ranks.data()}), UsageError);
  const PermutationSearcher searcher(*space, chosen, {10, 3, ranks.data()});
  const auto prepare = [&](std::size_t) { return space->from_text("a"); };
  EXPECT_THROW(searcher.nearest(1, prepare, 0), UsageError);
  EXPECT_EQ(searcher.nearest(1, prepare, 11, {.share = 0.1}).front().size(), 10U);
  for (const double share : {0.0, -0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(searcher.nearest(1, prepare, 1, {.share = share}), UsageError) << share;
  }
  EXPECT_THROW(searcher.within(1, prepare, -1), UsageError);
  EXPECT_THROW(searcher.within(1, prepare, std::nanf("")), UsageError);
  EXPECT_TRUE(searcher.nearest(0, prepare, 1).empty());
}

TEST(MetricIndex, DamageIsFoundAndNeverCrashes) {
  const test::TemporaryFolder folder(test::place_in_memory());
  auto random = test::generator(41);
  const Strings words = draw_words(42, 60);
  for (const DistanceKind kind : {DistanceKind::kLevenshtein, DistanceKind::kJaccard}) {
    const std::filesystem::path path = folder / std::string(distance_name(kind));
    write_metric_index(path, Objects({.distance = kind}, words, "words"), {.permutants = 9});
    EXPECT_TRUE(is_metric_index(path));
    EXPECT_THAT(verify_metric(path).problems, testing::IsEmpty());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = test::read_file(entry.path());
      for (int i = 0; i < 40; ++i) {
        std::string damaged = bytes;
        if (i % 8 == 0) {
          damaged.resize(random() % bytes.size());
        } else {
          damaged[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
        }
        test::write_file(entry.path(), damaged);
        EXPECT_FALSE(verify_metric(path).ok()) << entry.path();
        try {
          const MetricIndex index = MetricIndex::open(path);
          for (const RankDistance compare : {RankDistance::kFootrule, RankDistance::kRho,
                                             RankDistance::kTau, RankDistance::kBits}) {
            index.searcher().nearest(1,
                                     [&](std::size_t) { return index.space().from_text("abc a"); },
                                     3, {.share = 0.5, .compare = compare});
          }
        } catch (const FormatError&) {
        }
      }
      test::write_file(entry.path(), bytes);
    }
    EXPECT_TRUE(verify_metric(path).ok());
  }
}

}  // namespace
}  // namespace warpdex::metric
