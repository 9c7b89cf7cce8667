// Tests of exact search on a GPU: the bits that FlatSearcher gives, whose own tests compare it with
// a plain search, in every form, for sizes and values that the GPU's ways differ in.
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"

namespace warpdex::vector {
namespace {

class GpuFlat : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

struct Form {
  Metric metric;
  Store store;
};

class GpuFlatForms : public GpuFlat, public testing::WithParamInterface<Form> {};

/// What there is in the GPU's memory for one test.
Resources& resources() {
  static Resources shared;
  return shared;
}

void expect_same(const Neighbors& found, const Neighbors& expected, const std::string& what) {
  ASSERT_EQ(found.rows.size(), expected.rows.size()) << what;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    ASSERT_EQ(found.rows[i], expected.rows[i])
        << what << ", query " << i / expected.k << ", place " << i % expected.k;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(found.distances[i]),
              std::bit_cast<std::uint32_t>(expected.distances[i]))
        << what << ", query " << i / expected.k << ", place " << i % expected.k << ": "
        << found.distances[i] << " and " << expected.distances[i];
  }
}

void expect_same(const RangeNeighbors& found, const RangeNeighbors& expected,
                 const std::string& what) {
  ASSERT_EQ(found.offsets, expected.offsets) << what;
  ASSERT_EQ(found.rows, expected.rows) << what;
  ASSERT_EQ(found.distances, expected.distances) << what;
}

/// Compares the answers of both processors; returns the share that products certified.
double expect_right(const FlatVectors& vectors, const std::vector<float>& queries, std::size_t k,
                    const RowFilter* filter, const GpuFlatSettings& settings,
                    const std::string& what) {
  const GpuFlatSearcher searcher(vectors, resources(), settings);
  const Neighbors expected = FlatSearcher(vectors, 0).nearest(queries, k, filter);
  expect_same(searcher.nearest(queries, k, filter), expected, what);
  const GpuFlatFigures figures = searcher.figures();
  return figures.queries == 0
             ? 1
             : 1 - static_cast<double>(figures.uncertified) / static_cast<double>(figures.queries);
}

TEST_P(GpuFlatForms, SmallOnesAnswerAsTheCpu) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(static_cast<std::uint64_t>(metric) * 2 + store_bytes(store));
  for (const std::size_t dimension : {1, 3, 31, 32, 33, 96, 128, 300}) {
    for (const std::size_t rows : {1, 2, 31, 32, 33, 127, 128, 129, 1500, 5000}) {
      const Collection collection(metric, store, dimension,
                                  test::draw(random, rows * dimension, 0.3F, 1));
      for (const std::size_t count : {1, 3, 4, 37, 129}) {
        const std::vector<float> queries = test::draw(random, count * dimension, 0.3F, 1);
        for (const std::size_t k : {std::size_t{1}, std::size_t{10}, rows}) {
          if (k > rows || (k == rows && count > 37)) continue;
          expect_right(collection.vectors, queries, k, nullptr, {},
                       describe(metric, store, dimension, rows) + ", queries " +
                           std::to_string(count) + ", k " + std::to_string(k));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GpuFlatForms, LargeOnesAnswerAsTheCpu) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(20 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 40;
  const std::size_t rows = 200'003;
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension, 0, 1));
  const std::vector<float> queries = test::draw(random, 300 * dimension, 0, 1);
  for (const bool keeps_halves : {false, true}) {
    for (const std::size_t k : {1, 10, 100, 1000, 2048, 5000}) {
      const double share =
          expect_right(collection.vectors, queries, k, nullptr,
                       {.memory = 0, .keeps_halves = keeps_halves}, "k " + std::to_string(k));
      EXPECT_GT(share, 0.9) << "k " << k;
    }
  }
}

TEST_P(GpuFlatForms, FiltersLetThroughWhatTheyAllow) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(40 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 24;
  const std::size_t rows = 30'000;
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension, 0, 1));
  const float radius = metric == Metric::kL2 ? 20.0F : 0.3F;
  for (const double share : {0.0, 0.001, 0.3, 0.999, 1.0}) {
    std::bernoulli_distribution allowed(share);
    RowFilter filter(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (allowed(random)) filter.add(row);
    }
    const std::string what = "share " + std::to_string(share);
    for (const std::size_t count : {2, 40}) {
      const std::vector<float> queries = test::draw(random, count * dimension, 0, 1);
      expect_right(collection.vectors, queries, 15, &filter, {.memory = 0, .keeps_halves = true},
                   what);
      const GpuFlatSearcher searcher(collection.vectors, resources());
      expect_same(searcher.within(queries, radius, &filter),
                  FlatSearcher(collection.vectors).within(queries, radius, &filter), what);
    }
  }
}

TEST_P(GpuFlatForms, RangesHoldAllWithinThem) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(60 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 16;
  const Collection collection(metric, store, dimension, test::draw(random, 5000 * dimension, 0, 1));
  const FlatSearcher cpu(collection.vectors);
  const GpuFlatSearcher gpu(collection.vectors, resources());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {1, 50, 1100}) {
    const std::vector<float> queries = test::draw(random, count * dimension, 0, 1);
    const float exact = cpu.nearest(queries, 7).distances[6];
    for (const float radius : {exact, 0.0F, 0.5F, 10.0F, 30.0F, -1.0F, kInfinity, -kInfinity}) {
      if (count > 50 && std::isinf(radius)) continue;
      expect_same(gpu.within(queries, radius), cpu.within(queries, radius),
                  std::to_string(count) + " queries, radius " + std::to_string(radius));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuFlatForms,
                         testing::Values(Form{Metric::kL2, Store::kFloat},
                                         Form{Metric::kL2, Store::kHalf},
                                         Form{Metric::kInnerProduct, Store::kFloat},
                                         Form{Metric::kInnerProduct, Store::kHalf},
                                         Form{Metric::kCosine, Store::kFloat},
                                         Form{Metric::kCosine, Store::kHalf}),
                         [](const testing::TestParamInfo<Form>& form) {
                           return std::string(metric_name(form.param.metric)) + "_" +
                                  std::string(store_name(form.param.store));
                         });

/// Collections that make bounds loose or many distances equal.
class GpuFlatHard : public GpuFlat, public testing::WithParamInterface<Metric> {};

TEST_P(GpuFlatHard, FarFromTheOrigin) {
  auto random = test::generator(80);
  const std::size_t dimension = 64;
  std::vector<float> values = test::draw(random, 9000 * dimension, 5000, 1);
  for (std::size_t i = 8900 * dimension; i < values.size(); ++i) values[i] -= 10'000;
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  for (const float mean : {5000.0F, -5000.0F, 0.0F, 1e7F}) {
    expect_right(collection.vectors, test::draw(random, 30 * dimension, mean, 1), 10, nullptr, {},
                 "queries around " + std::to_string(mean));
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
    expect_right(collection.vectors, queries, k, nullptr, {}, "k " + std::to_string(k));
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
    expect_right(collection.vectors, queries, k, nullptr, {}, "k " + std::to_string(k));
  }
}

TEST_P(GpuFlatHard, LengthsOfAllMagnitudes) {
  auto random = test::generator(82);
  const std::size_t dimension = 12;
  std::uniform_real_distribution<float> exponent(-60, 60);
  std::vector<float> values = test::draw(random, 9000 * dimension, 0, 1);
  std::vector<float> queries = test::draw(random, 40 * dimension, 0, 1);
  for (auto* vectors : {&values, &queries}) {
    for (std::size_t begin = 0; begin < vectors->size(); begin += dimension) {
      const float factor = std::exp2(exponent(random));
      for (std::size_t c = 0; c < dimension; ++c) (*vectors)[begin + c] *= factor;
    }
  }
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  expect_right(collection.vectors, queries, 20, nullptr, {}, "magnitudes");
}

TEST_P(GpuFlatHard, SquaresBelowAndAboveTheRangeOfFloats) {
  auto random = test::generator(83);
  const std::size_t dimension = 6;
  for (const float factor : {0x1p-140F, 0x1p-75F, 0x1p62F, 0x1p70F}) {
    std::vector<float> values = test::draw(random, 9000 * dimension, 0, 1);
    std::vector<float> queries = test::draw(random, 30 * dimension, 0, 1);
    for (float& value : values) value *= factor;
    for (float& value : queries) value *= factor;
    for (float& value : queries) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    for (float& value : values) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    const Collection collection(GetParam(), Store::kFloat, dimension, values);
    expect_right(collection.vectors, queries, 20, nullptr, {}, "factor " + std::to_string(factor));
  }
}

TEST_P(GpuFlatHard, TooLittleMemoryPages) {
  auto random = test::generator(84);
  const std::size_t dimension = 64;
  const std::size_t rows = 300'000;
  const Collection collection(GetParam(), Store::kFloat, dimension,
                              test::draw(random, rows * dimension, 0, 1));
  RowFilter filter(rows);
  for (std::size_t row = 0; row < rows; row += 1 + row % 3) filter.add(row);
  const GpuFlatSettings settings{.memory = std::size_t{40} << 20, .keeps_halves = false};
  const GpuFlatSearcher searcher(collection.vectors, resources(), settings);
  EXPECT_FALSE(searcher.is_resident());
  const FlatSearcher cpu(collection.vectors);
  for (const std::size_t count : {1, 70}) {
    const std::vector<float> queries = test::draw(random, count * dimension, 0, 1);
    for (const std::size_t k : {10, 3000}) {
      expect_same(searcher.nearest(queries, k), cpu.nearest(queries, k), "all");
      expect_same(searcher.nearest(queries, k, &filter), cpu.nearest(queries, k, &filter),
                  "filtered");
    }
    const float radius = cpu.nearest(queries, 30).distances[29];
    expect_same(searcher.within(queries, radius), cpu.within(queries, radius), "range");
    expect_same(searcher.within(queries, radius, &filter), cpu.within(queries, radius, &filter),
                "range, filtered");
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, GpuFlatHard,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

TEST_F(GpuFlat, ManyThreadsShareLittleMemory) {
  auto random = test::generator(91);
  const std::size_t dimension = 32;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 100'000 * dimension, 0, 1));
  const std::vector<float> queries = test::draw(random, 500 * dimension, 0, 1);
  const GpuFlatSearcher searcher(collection.vectors, resources(),
                                 {.memory = std::size_t{128} << 20, .keeps_halves = false});
  const Neighbors alone = FlatSearcher(collection.vectors).nearest(queries, 10);
  std::vector<Neighbors> together(6);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < together.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) together[t] = searcher.nearest(queries, 10);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Neighbors& one : together) expect_same(one, alone, "together");
}

TEST_F(GpuFlat, QueriesAndAnswersInGpuMemory) {
  auto random = test::generator(92);
  const std::size_t dimension = 33;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 20'000 * dimension, 0, 1));
  std::vector<float> queries = test::draw(random, 50 * dimension, 0, 1);
  const GpuFlatSearcher searcher(collection.vectors, resources());
  Neighbors expected = FlatSearcher(collection.vectors).nearest(queries, 20);
  const Stream stream;
  DeviceArray<float> given(queries.size());
  DeviceArray<std::int32_t> rows(50 * 20);
  DeviceArray<float> distances(50 * 20);
  given.upload(queries, stream);
  stream.synchronize();
  searcher.nearest_on_gpu(given.data(), 50, 20, rows.data(), distances.data());
  Neighbors found{50, 20, std::vector<std::int32_t>(1000), std::vector<float>(1000)};
  rows.download(found.rows, stream);
  distances.download(found.distances, stream);
  stream.synchronize();
  expect_same(found, expected, "in GPU memory");
  queries[7 * dimension + 3] = std::nanf("");
  given.upload(queries, stream);
  stream.synchronize();
  searcher.nearest_on_gpu(given.data(), 50, 20, rows.data(), distances.data());
  std::vector<float> with_nan(1000);
  distances.download(with_nan, stream);
  stream.synchronize();
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(std::isnan(with_nan[i]), i / 20 == 7) << i;
    if (i / 20 != 7) {
      EXPECT_EQ(with_nan[i], expected.distances[i]);
    }
  }
}

TEST_F(GpuFlat, RefusesWhatItCannotAnswer) {
  const Collection collection(Metric::kL2, Store::kFloat, 2, {0, 0, 1, 1, 2, 2});
  const GpuFlatSearcher searcher(collection.vectors, resources());
  const std::vector<float> one{0, 1};
  EXPECT_THROW(searcher.nearest(one, 0), UsageError);
  EXPECT_THROW(searcher.nearest(one, 4), UsageError);
  EXPECT_THROW(searcher.nearest(std::vector<float>{1, 2, 3}, 1), UsageError);
  EXPECT_THROW(searcher.within(one, std::nanf("")), UsageError);
  const RowFilter other(4);
  EXPECT_THROW(searcher.nearest(one, 1, &other), UsageError);
  EXPECT_THROW(
      GpuFlatSearcher(collection.vectors, resources(), {.memory = 1000, .keeps_halves = false})
          .nearest(one, 1),
      Error);
}

}  // namespace
}  // namespace warpdex::vector
