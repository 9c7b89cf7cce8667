// Tests of exact search on a GPU over collections that are hard for it, or too large.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"

namespace warpdex::vector {
namespace {

/// Collections that make bounds loose or many distances equal.
class GpuFlatHard : public GpuFlat, public testing::WithParamInterface<Metric> {};

TEST_P(GpuFlatHard, FarFromTheOrigin) {
  auto random = test::generator(80);
  const std::size_t dimension = 64;
  std::vector<float> values = test::draw(random, 9000 * dimension, 5000, 1);
  for (std::size_t i = 8900 * dimension; i < values.size(); ++i) values[i] -= 10'000;
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  for (const float mean : {5000.0F, -5000.0F, 0.0F, 1e7F}) {
    for (const std::size_t count : {30, 300}) {
      expect_right(collection, test::draw(random, count * dimension, mean, 1), 10, nullptr, {},
                   std::to_string(count) + " queries around " + std::to_string(mean));
    }
  }
}

TEST_P(GpuFlatHard, DuplicatesAndZeros) {
  auto random = test::generator(81);
  const std::size_t dimension = 8;
  std::vector<float> values(60'000 * dimension);
  std::uniform_int_distribution<int> few(-1, 1);
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = static_cast<float>(few(random));
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  std::vector<float> queries(30 * dimension);
  for (std::size_t i = dimension; i < queries.size(); ++i) {
    queries[i] = static_cast<float>(few(random));
  }
  for (const std::size_t k : {1, 100, 2500}) {
    expect_right(collection, queries, k, nullptr, {}, "k " + std::to_string(k));
  }
}

TEST_P(GpuFlatHard, SortedByDistance) {
  const std::size_t dimension = 4;
  const std::size_t rows = 100'000;
  std::vector<float> values(rows * dimension);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i / dimension) * 0.001F;
  }
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  std::vector<float> queries;
  for (int q = 0; q < 64; ++q) queries.insert(queries.end(), dimension, static_cast<float>(q) * 2);
  for (const std::size_t k : {1, 100}) {
    expect_right(collection, queries, k, nullptr, {}, "k " + std::to_string(k));
  }
}

TEST_P(GpuFlatHard, LengthsOfAllMagnitudes) {
  auto random = test::generator(82);
  const std::size_t dimension = 12;
  std::vector<float> values = test::draw(random, 9000 * dimension);
  std::vector<float> queries = test::draw(random, 300 * dimension);
  for (auto* vectors : {&values, &queries}) test::scale_rows(random, *vectors, dimension, 50);
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  const GpuFigures figures = expect_right(collection, queries, 20, nullptr, {}, "magnitudes");
  EXPECT_GT(figures.queries, 0U);
}

TEST_P(GpuFlatHard, RowsMuchShorterThanOneOfThem) {
  auto random = test::generator(85);
  const std::size_t dimension = 24;
  for (const float factor : {1.0F, 0x1p-55F}) {
    std::vector<float> values = test::draw(random, 9000 * dimension);
    for (float& value : values) value *= factor;
    for (std::size_t c = 0; c < dimension; ++c) values[c + 70 * dimension] *= 1e9F;
    const Collection collection(GetParam(), Store::kFloat, dimension, values);
    const std::vector<float> queries = test::draw(random, 300 * dimension);
    const GpuFigures figures = expect_right(collection, queries, 10, nullptr, {}, "one long row");
    EXPECT_GT(figures.queries, 0U);
  }
}

TEST_P(GpuFlatHard, TinyRowsAndHugeQueries) {
  auto random = test::generator(86);
  const std::size_t dimension = 6;
  for (const auto& [rows, query] : {std::pair{0x1p-82F, 1.0F}, {0x1p55F, 0x1p75F}}) {
    std::vector<float> values = test::draw(random, 9000 * dimension);
    std::vector<float> queries = test::draw(random, 300 * dimension);
    // Without signs, products past the range of floats are infinite, and no NaN.
    for (float& value : values) value = std::abs(value) * rows;
    for (float& value : queries) value = std::abs(value) * query;
    const Collection collection(GetParam(), Store::kFloat, dimension, values);
    expect_right(collection, queries, 10, nullptr, {}, "rows times " + std::to_string(rows));
  }
}

TEST_P(GpuFlatHard, SquaresBelowAndAboveTheRangeOfFloats) {
  auto random = test::generator(83);
  const std::size_t dimension = 6;
  for (const float factor : {0x1p-140F, 0x1p-75F, 0x1p62F, 0x1p70F}) {
    std::vector<float> values = test::draw(random, 9000 * dimension);
    std::vector<float> queries = test::draw(random, 300 * dimension);
    for (float& value : values) value *= factor;
    for (float& value : queries) value *= factor;
    for (float& value : queries) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    for (float& value : values) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    const Collection collection(GetParam(), Store::kFloat, dimension, values);
    expect_right(collection, queries, 20, nullptr, {}, "factor " + std::to_string(factor));
  }
}

TEST_P(GpuFlatHard, TooLittleMemoryPages) {
  auto random = test::generator(84);
  const std::size_t dimension = 64;
  const std::size_t rows = 300'000;
  const Collection collection(GetParam(), Store::kFloat, dimension,
                              test::draw(random, rows * dimension));
  RowFilter filter(rows);
  for (std::size_t row = 0; row < rows; row += 1 + row % 3) filter.add(row);
  const GpuSearchSettings settings{.memory = std::size_t{40} << 20, .keeps_halves = false};
  const auto searcher = search_on_gpu(collection.vectors, resources(), settings);
  EXPECT_FALSE(searcher->is_resident());
  const FlatSearcher cpu(collection.vectors);
  for (const std::size_t count : {1, 70}) {
    const std::vector<float> queries = test::draw(random, count * dimension);
    for (const std::size_t k : {10, 3000, 5000}) {
      expect_same(searcher->nearest(queries, k), cpu.nearest(queries, k), "all");
      expect_same(searcher->nearest(queries, k, {.filter = &filter}),
                  cpu.nearest(queries, k, {.filter = &filter}), "filtered");
    }
    const float radius = cpu.nearest(queries, 30).distances[29];
    expect_same(searcher->within(queries, radius), cpu.within(queries, radius), "range");
    expect_same(searcher->within(queries, radius, {.filter = &filter}),
                cpu.within(queries, radius, {.filter = &filter}), "range, filtered");
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuFlatHard,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

}  // namespace
}  // namespace warpdex::vector
