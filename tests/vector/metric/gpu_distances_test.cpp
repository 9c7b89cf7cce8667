// Every distance on a GPU is the CPU's, to the bit. The CPU's own tests compare it with plain ones.
#include <gtest/gtest.h>

#include <random>

#include "tests/vector/metric/gpu_metric_support.hpp"

namespace warpdex::metric {
namespace {

using GpuMetricDistances = GpuMetric;
using GpuMetricTiny = GpuMetric;

/// As UTF-8.
std::string code_point(std::uint32_t value) {
  if (value < 0x80) return {static_cast<char>(value)};
  if (value < 0x800) {
    return {static_cast<char>(0xC0 | value >> 6), static_cast<char>(0x80 | (value & 0x3F))};
  }
  return {static_cast<char>(0xE0 | value >> 12), static_cast<char>(0x80 | (value >> 6 & 0x3F)),
          static_cast<char>(0x80 | (value & 0x3F))};
}

/// All distances of queries to objects, and what is near.
void expect_distances(const Objects& objects, const QueryObjects& queries,
                      const std::string& what) {
  const std::size_t count = objects.view().objects;
  const BothSides both(objects, std::min<std::size_t>(count, 9));
  both.expect_nearest(queries, count, {.share = std::nullopt}, what);
  both.expect_within(queries, 3, {.share = std::nullopt}, what);
  both.expect_within(queries, 0.75, {.share = 0.5}, what);
}

TEST_F(GpuMetricDistances, LevenshteinOfAllLengths) {
  auto random = test::generator(211);
  const Strings letters{"a", "b", "c", std::string(1, '\0'), "\xFF"};
  Strings few{"é", "a", "€", "b"};
  Strings many;
  for (std::uint32_t i = 0; i < 700; ++i) many.push_back(code_point(0x4E00 + i));
  for (const std::size_t longest : {0, 1, 15, 16, 17, 33, 64, 65, 130, 300}) {
    for (const Strings& alphabet : {letters, few, many}) {
      const bool are_bytes = alphabet[0] == "a";
      const ObjectSettings settings{.unit = are_bytes ? TextUnit::kBytes : TextUnit::kCodePoints};
      Strings texts = draw_texts(random, 300, longest, alphabet);
      Strings queries = draw_texts(random, 6, longest, alphabet);
      // Of certain lengths, one like an object's, and of units that no object has.
      for (const std::size_t length : {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
        std::string query;
        for (std::size_t i = 0; i < length; ++i) query += alphabet[random() % alphabet.size()];
        queries.push_back(query);
      }
      queries.push_back(texts[0] + alphabet[1]);
      queries.emplace_back(are_bytes ? "xyz\x80" : "xyzж😀");
      expect_distances(Objects(settings, texts, "texts"), as_queries(queries),
                       "up to " + std::to_string(longest) + " of " + alphabet[0]);
    }
  }
}

TEST_F(GpuMetricDistances, HammingAndJaccard) {
  auto random = test::generator(212);
  for (const std::size_t length : {0, 1, 15, 16, 17, 33, 300}) {
    Strings texts(200);
    for (std::string& text : texts) {
      for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(random() % 3);
    }
    expect_distances(Objects({.distance = DistanceKind::kHamming}, texts, "texts"),
                     as_queries(Strings(texts.begin(), texts.begin() + 20)),
                     std::to_string(length) + " bytes");
  }
  const Strings words{"a ", "b\t", "cc ", "d ", "é ", "f ", "g ", "h "};
  Strings sets = draw_texts(random, 300, 12, words);
  sets[0] = "";
  Strings queries = draw_texts(random, 40, 12, words);
  queries.insert(queries.end(), {"", " ", "none of them", "a x y", "h g f e d c b a"});
  expect_distances(Objects({.distance = DistanceKind::kJaccard}, sets, "sets"), as_queries(queries),
                   "sets");
}

TEST_F(GpuMetricDistances, Vectors) {
  auto random = test::generator(213);
  std::normal_distribution<float> normal(0, 1);
  for (const std::size_t dimension : {1, 2, 31, 32, 33, 100, 300}) {
    for (const DistanceKind kind : {DistanceKind::kL1, DistanceKind::kL2, DistanceKind::kAngular}) {
      std::vector<float> rows(203 * dimension);
      for (float& value : rows) value = normal(random);
      std::vector<float> queries(rows.begin(),
                                 rows.begin() + static_cast<std::ptrdiff_t>(3 * dimension));
      for (std::size_t i = 0; i < 9 * dimension; ++i) queries.push_back(normal(random));
      // Opposite to the first.
      for (std::size_t i = 0; i < dimension; ++i) queries.push_back(-rows[i]);
      if (kind != DistanceKind::kAngular) {  // past what a float holds
        rows[0] = 3e38F;
        queries[dimension - 1] = -3e38F;
      }
      expect_distances(Objects({.distance = kind, .dimension = dimension}, rows, "rows"),
                       {{}, queries},
                       std::string(distance_name(kind)) + " " + std::to_string(dimension));
    }
  }
}

/// Small enough for the sanitizers.
TEST_F(GpuMetricTiny, EveryKernel) {
  auto random = test::generator(214);
  const Strings words = draw_texts(random, 130, 20, {"a", "b", "c"});
  const Strings queries{"", "abc", std::string(40, 'a'), std::string(70, 'b')};
  const Objects texts({}, words, "words");
  for (const std::size_t permutants : {33, 130}) {
    const BothSides both(texts, permutants);
    for (const RankDistance compare :
         {RankDistance::kFootrule, RankDistance::kRho, RankDistance::kTau, RankDistance::kBits}) {
      both.expect_nearest(as_queries(queries), 3, {.share = 0.3, .compare = compare}, "tiny");
    }
    both.expect_within(as_queries(queries), 5, {.share = 0.3}, "tiny");
    both.expect_nearest(as_queries({"cab"}), 3, {.share = 0.3}, "one query");
  }
  Strings wide;
  for (std::uint32_t i = 0; i < 300; ++i) wide.push_back(code_point(0x4E00 + i));
  const Objects points({.unit = TextUnit::kCodePoints}, wide, "points");
  const BothSides of_points(points, 4);
  of_points.expect_nearest(as_queries({wide[3] + wide[4], "x"}), 3, {.share = 0.1}, "wide");
  const Objects sets({.distance = DistanceKind::kJaccard}, Strings{"a b", "", "b c d"}, "sets");
  BothSides(sets, 2).expect_nearest(as_queries({"b a x", ""}), 3, {.share = std::nullopt}, "sets");
  const Objects bits({.distance = DistanceKind::kHamming}, Strings{"0011", "0111"}, "bits");
  BothSides(bits, 2).expect_within(as_queries({"0110"}), 1, {.share = std::nullopt}, "bits");
  const std::vector<float> rows{1, 0, 0, 1, 3, 4};
  for (const DistanceKind kind : {DistanceKind::kL1, DistanceKind::kL2, DistanceKind::kAngular}) {
    const Objects vectors({.distance = kind, .dimension = 2}, rows, "rows");
    BothSides(vectors, 2).expect_nearest({{}, rows}, 3, {.share = std::nullopt}, "vectors");
  }
}

}  // namespace
}  // namespace warpdex::metric
