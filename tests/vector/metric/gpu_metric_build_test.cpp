// A permutation index that a GPU builds is the CPU's, byte for byte.
#include <gtest/gtest.h>

#include <map>

#include "tests/vector/metric/gpu_metric_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/metric/gpu_permutation_builder.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex::metric {
namespace {

using GpuMetricBuild = GpuMetric;
using GpuMetricBuildTiny = GpuMetric;

/// The ranks of both. `resources`: null takes what all tests share.
void expect_same_ranks(const Objects& objects, std::size_t permutants, const std::string& what,
                       Resources* resources = nullptr, std::size_t threads = 0) {
  const ObjectsView view = objects.view();
  const auto space = make_space(view);
  const auto chosen = choose_permutants(*space, {.permutants = permutants});
  const auto expected = rank_permutants(*space, chosen);
  const auto found = rank_permutants_on_gpu(
      view, chosen, resources == nullptr ? gpu_resources() : *resources, threads);
  const std::size_t row_bytes = expected.size() / view.objects;
  for (std::size_t i = 0; i < view.objects; ++i) {
    ASSERT_TRUE(std::equal(found.get() + i * row_bytes, found.get() + (i + 1) * row_bytes,
                           expected.begin() + static_cast<std::ptrdiff_t>(i * row_bytes)))
        << what << ", object " << i << " of " << view.objects << " by " << permutants;
  }
}

std::vector<float> draw_rows(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> rows(count);
  for (float& value : rows) value = normal(random);
  return rows;
}

/// Texts of these lengths, of some bytes.
Strings texts_of(std::mt19937_64& random, std::initializer_list<std::size_t> lengths) {
  Strings texts;
  for (const std::size_t length : lengths) {
    texts.emplace_back();
    for (std::size_t i = 0; i < length; ++i) texts.back() += static_cast<char>('a' + random() % 3);
  }
  return texts;
}

/// Small enough for the sanitizers.
TEST_F(GpuMetricBuildTiny, EveryKernel) {
  auto random = test::generator(231);
  const Strings letters{"a", "b", "c"};
  expect_same_ranks(Objects({}, draw_texts(random, 70, 20, letters), "words"), 9, "words");
  const Strings lengths = texts_of(random, {0, 1, 31, 32, 33, 63, 64, 65, 130, 7, 20});
  expect_same_ranks(Objects({}, lengths, "lengths"), 11, "lengths");
  expect_same_ranks(Objects({}, draw_texts(random, 270, 4, letters), "words"), 258, "sorted");
  expect_same_ranks(
      Objects({.unit = TextUnit::kCodePoints}, draw_texts(random, 40, 40, {"é", "a", "😀"}), "é"), 9,
      "code points");
  expect_same_ranks(
      Objects({.distance = DistanceKind::kHamming}, Strings{"0011", "0111", "1000"}, "bits"), 3,
      "bits");
  expect_same_ranks(
      Objects({.distance = DistanceKind::kJaccard}, Strings{"a b", "", "b c d", "a"}, "sets"), 4,
      "sets");
  for (const DistanceKind kind : {DistanceKind::kL1, DistanceKind::kL2, DistanceKind::kAngular}) {
    expect_same_ranks(
        Objects({.distance = kind, .dimension = 33}, draw_rows(random, 70 * 33), "rows"), 6,
        std::string(distance_name(kind)));
  }
}

TEST_F(GpuMetricBuild, AnyNumberOfObjectsAndPermutants) {
  auto random = test::generator(232);
  const Strings letters{"a", "b", "c", "d"};
  for (const std::size_t count : {1, 2, 31, 32, 33, 63, 64, 65, 300, 2500}) {
    const Objects words({}, draw_texts(random, count, 9, letters), "words");
    const Objects rows({.distance = DistanceKind::kL2, .dimension = 5},
                       draw_rows(random, count * 5), "rows");
    for (const std::size_t permutants :
         {1, 3, 4, 5, 8, 16, 17, 31, 33, 128, 255, 256, 257, 512, 513, 2047, 2048}) {
      if (permutants > count) continue;
      expect_same_ranks(words, permutants, "words");
      expect_same_ranks(rows, permutants, "rows");
    }
  }
}

TEST_F(GpuMetricBuild, Vectors) {
  auto random = test::generator(233);
  for (const std::size_t dimension : {1, 2, 31, 32, 33, 200}) {
    for (const DistanceKind kind : {DistanceKind::kL1, DistanceKind::kL2, DistanceKind::kAngular}) {
      std::vector<float> rows = draw_rows(random, 301 * dimension);
      // Rows that are equal, opposite, and past what a float holds.
      std::copy_n(rows.begin(), 40 * dimension,
                  rows.end() - static_cast<std::ptrdiff_t>(40 * dimension));
      for (std::size_t i = 0; i < dimension; ++i) rows[i] = -rows[dimension + i];
      if (kind != DistanceKind::kAngular) {
        rows[dimension * 3] = 3e38F;
        rows[dimension * 5 - 1] = -3e38F;
      }
      expect_same_ranks(Objects({.distance = kind, .dimension = dimension}, rows, "rows"), 301,
                        std::string(distance_name(kind)) + " " + std::to_string(dimension));
      expect_same_ranks(Objects({.distance = kind, .dimension = dimension}, rows, "rows"), 66,
                        std::string(distance_name(kind)) + " " + std::to_string(dimension));
    }
  }
}

TEST_F(GpuMetricBuild, TextsAndSets) {
  auto random = test::generator(234);
  const Strings letters{"a", "b", std::string(1, '\0'), "\xFF"};
  const Strings points{"é", "a", "€", "😀", "ж"};
  for (const std::size_t longest : {0, 1, 15, 16, 17, 64, 65, 200}) {
    expect_same_ranks(Objects({}, draw_texts(random, 400, longest, letters), "texts"), 50, "bytes");
    expect_same_ranks(
        Objects({.unit = TextUnit::kCodePoints}, draw_texts(random, 400, longest, points), "texts"),
        50, "code points");
    expect_same_ranks(
        Objects({.distance = DistanceKind::kJaccard},
                draw_texts(random, 400, longest, {"a ", "b ", "c ", "d ", "e ", "f ", "g "}),
                "sets"),
        50, "sets");
    Strings equal(400);
    for (std::string& text : equal) {
      for (std::size_t i = 0; i < longest; ++i) text += static_cast<char>(random() % 3);
    }
    expect_same_ranks(Objects({.distance = DistanceKind::kHamming}, equal, "texts"), 50, "hamming");
  }
}

TEST_F(GpuMetricBuild, WhatIsTooLongIsTheCpus) {
  auto random = test::generator(235);
  Strings texts = texts_of(random, {0, 3, 16'383, 16'384, 16'385, 20'000, 5, 64, 65});
  const Strings more = draw_texts(random, 50, 12, {"a", "b"});
  texts.insert(texts.end(), more.begin(), more.end());
  expect_same_ranks(Objects({}, texts, "texts"), texts.size(), "long texts");
  expect_same_ranks(Objects({}, texts_of(random, {17'000, 16'500, 17'001}), "texts"), 3,
                    "all long");
  std::string words;
  for (std::size_t i = 0; i < 270'000; ++i) words += std::to_string(i) + " ";
  expect_same_ranks(
      Objects({.distance = DistanceKind::kJaccard}, Strings{"1 2", words, "", "5 7 9"}, "sets"), 4,
      "a long set");
}

TEST_F(GpuMetricBuild, BlocksAndLittleMemory) {
  auto random = test::generator(236);
  const Objects words({}, draw_texts(random, 200'000, 9, {"a", "b", "c", "d", "e"}), "words");
  const Objects rows({.distance = DistanceKind::kAngular, .dimension = 96},
                     draw_rows(random, std::size_t{60'000} * 96), "rows");
  for (const std::size_t threads : {0, 1, 3}) {
    expect_same_ranks(words, 40, "words", nullptr, threads);
    expect_same_ranks(rows, 40, "rows", nullptr, threads);
  }
  for (const std::size_t memory :
       {std::size_t{200} << 10, std::size_t{3} << 20, std::size_t{30} << 20}) {
    Resources few({.memory = memory});
    expect_same_ranks(words, 40, "words in " + std::to_string(memory), &few);
    expect_same_ranks(rows, 40, "rows in " + std::to_string(memory), &few);
    EXPECT_EQ(few.memory().used(), 0U);
  }
  Resources none({.memory = 4096});
  EXPECT_THROW(expect_same_ranks(rows, 40, "rows", &none), Error);
}

TEST_F(GpuMetricBuild, TellsItsProgressAndEndsWhereThatThrows) {
  auto random = test::generator(237);
  Strings texts = draw_texts(random, 70'000, 9, {"a", "b"});
  texts.emplace_back(17'000, 'x');
  const Objects objects({}, texts, "words");
  const std::vector<std::uint32_t> permutants{5, 3, 70'000};
  std::uint64_t last = 0;
  rank_permutants_on_gpu(objects.view(), permutants, gpu_resources(), 0,
                         [&](std::uint64_t done, std::uint64_t total) {
                           EXPECT_GT(done, last);
                           EXPECT_EQ(total, 3U * texts.size());
                           last = done;
                         });
  EXPECT_EQ(last, 3U * texts.size());
  EXPECT_THROW(
      rank_permutants_on_gpu(objects.view(), permutants, gpu_resources(), 0,
                             [](std::uint64_t, std::uint64_t) { throw InputError("enough"); }),
      InputError);
  EXPECT_THROW(
      rank_permutants_on_gpu(objects.view(), std::vector<std::uint32_t>{70'001}, gpu_resources()),
      UsageError);
  EXPECT_THROW(rank_permutants_on_gpu(objects.view(), {}, gpu_resources()), UsageError);
  expect_same_ranks(objects, 5, "afterwards");
}

TEST_F(GpuMetricBuild, TheIndexIsTheCpusByteForByte) {
  auto random = test::generator(238);
  const test::TemporaryFolder folder(test::place_in_memory());
  const Objects words({}, draw_texts(random, 5000, 9, {"a", "b", "c"}), "words");
  const Objects rows({.distance = DistanceKind::kAngular, .dimension = 20},
                     draw_rows(random, 20 * 3000), "rows");
  const auto files = [](const std::filesystem::path& path) {
    std::map<std::string, std::string> bytes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      bytes[entry.path().lexically_relative(path)] = test::read_file(entry.path());
    }
    return bytes;
  };
  for (const Objects* const objects : {&words, &rows}) {
    for (const Choice choice : {Choice::kRandom, Choice::kFarthest}) {
      for (const std::size_t permutants : {32, 300}) {
        const PermutationSettings settings{.permutants = permutants, .choice = choice, .seed = 7};
        write_metric_index(folder / "cpu", *objects, settings);
        write_metric_index(folder / "gpu", *objects, settings, {}, &gpu_resources());
        const auto right = files(folder / "cpu");
        ASSERT_GT(right.size(), 3U);
        EXPECT_TRUE(files(folder / "gpu") == right) << permutants << " permutants";
        EXPECT_TRUE(verify_metric(folder / "gpu").ok());
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::metric
