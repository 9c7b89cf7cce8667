// Tests of exact search on a GPU: a plain search's answers, to the bit, in every form; threads that
// share memory; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/flat/past_2_31.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

class GpuFlatForms : public GpuFlat, public testing::WithParamInterface<Form> {};

TEST_P(GpuFlatForms, SmallOnesAnswerAsAPlainSearch) {
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
          expect_right(collection, queries, k, nullptr, {},
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
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension));
  const std::vector<float> queries = test::draw(random, 300 * dimension);
  for (const bool keeps_halves : {false, true}) {
    for (const std::size_t k : {1, 10, 100, 1000, 2048, 5000}) {
      const double share =
          expect_right(collection, queries, k, nullptr, {.memory = 0, .keeps_halves = keeps_halves},
                       "k " + std::to_string(k));
      EXPECT_GT(share, 0.9) << "k " << k;
    }
  }
}

TEST_P(GpuFlatForms, FiltersLetThroughWhatTheyAllow) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(40 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 24;
  const std::size_t rows = 30'000;
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension));
  const float radius = metric == Metric::kL2 ? 20.0F : 0.3F;
  for (const double share : {0.0, 0.001, 0.3, 0.999, 1.0}) {
    std::bernoulli_distribution allowed(share);
    RowFilter filter(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (allowed(random)) filter.add(row);
    }
    const std::string what = "share " + std::to_string(share);
    for (const std::size_t count : {2, 40}) {
      const std::vector<float> queries = test::draw(random, count * dimension);
      expect_right(collection, queries, 15, &filter, {.memory = 0, .keeps_halves = true}, what);
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
  const Collection collection(metric, store, dimension, test::draw(random, 5000 * dimension));
  const FlatSearcher cpu(collection.vectors);
  const GpuFlatSearcher gpu(collection.vectors, resources());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {1, 50, 1100}) {
    const std::vector<float> queries = test::draw(random, count * dimension);
    const float exact = cpu.nearest(queries, 7).distances[6];
    for (const float radius : {exact, 0.0F, 0.5F, 10.0F, 30.0F, -1.0F, kInfinity, -kInfinity}) {
      if (count > 50 && std::isinf(radius)) continue;
      expect_same(gpu.within(queries, radius), cpu.within(queries, radius),
                  std::to_string(count) + " queries, radius " + std::to_string(radius));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuFlatForms, kForms, form_name);

/// One small case of each way and form, for tools under which all is slow.
class GpuFlatTiny : public GpuFlat, public testing::WithParamInterface<Form> {};

TEST_P(GpuFlatTiny, AnswersAsAPlainSearch) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(70 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 17;
  const std::size_t rows = 2500;
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension));
  RowFilter filter(rows);
  for (std::size_t row = 0; row < rows; row += 1 + row % 3) filter.add(row);
  constexpr std::size_t kPaging = std::size_t{40} << 20;
  for (const GpuFlatSettings& settings :
       {GpuFlatSettings{}, {.memory = 0, .keeps_halves = true}, {.memory = kPaging}}) {
    for (const std::size_t count : {3, 9}) {  // a scan, and products
      const std::vector<float> queries = test::draw(random, count * dimension);
      expect_right(collection, queries, 5, nullptr, settings, "all");
      expect_right(collection, queries, 5, &filter, settings, "filtered");
      const float radius = metric == Metric::kL2 ? 15.0F : 0.5F;
      expect_same(
          GpuFlatSearcher(collection.vectors, resources(), settings).within(queries, radius),
          reference::within(collection, queries, radius, nullptr), "range");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuFlatTiny, kForms, form_name);

TEST_F(GpuFlat, ManyThreadsShareLittleMemory) {
  auto random = test::generator(91);
  const std::size_t dimension = 32;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 100'000 * dimension));
  const std::vector<float> queries = test::draw(random, 500 * dimension);
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

TEST_F(GpuFlat, ThreadsAskForWhatTheyLike) {
  auto random = test::generator(93);
  const std::size_t dimension = 32;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 30'000 * dimension));
  RowFilter filter(30'000);
  for (std::size_t row = 0; row < 30'000; row += 7) filter.add(row);
  struct Asked {
    std::size_t queries;
    std::size_t k;
    const RowFilter* filter;
  };
  const std::vector<Asked> asked{{1, 10, nullptr},   {100, 1, nullptr},  {100, 100, &filter},
                                 {7, 2048, nullptr}, {3, 5000, nullptr}, {50, 3000, nullptr}};
  const std::vector<float> queries = test::draw(random, 100 * dimension);
  const FlatSearcher cpu(collection.vectors);
  const GpuFlatSearcher gpu(collection.vectors, resources(),
                            {.memory = std::size_t{256} << 20, .keeps_halves = false});
  const auto search = [&](const auto& searcher, const Asked& one) {
    return searcher.nearest({queries.data(), one.queries * dimension}, one.k, one.filter);
  };
  std::vector<std::vector<Neighbors>> found(asked.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < asked.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) found[t].push_back(search(gpu, asked[t]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < asked.size(); ++t) {
    const Neighbors expected = search(cpu, asked[t]);
    for (const Neighbors& one : found[t]) {
      expect_same(one, expected, "k " + std::to_string(asked[t].k));
    }
  }
}

TEST_F(GpuFlat, FindsRowsPast2To31Components) {
  constexpr std::size_t kNeeded = std::size_t{10} << 30;
  const std::size_t free = device_info(resources().device()).free_memory;
  if (free < kNeeded) {
    GTEST_SKIP() << "this needs " << (kNeeded >> 30) << " GiB of GPU memory, and " << (free >> 30)
                 << " are free";
  }
  const ManyComponents many;
  ASSERT_NE(many.vectors().vectors.data, nullptr);
  const GpuFlatSearcher searcher(many.vectors(), resources());
  EXPECT_TRUE(searcher.is_resident());
  ManyComponents::expect_found(searcher, 1);
  ManyComponents::expect_found(searcher, 20);
  EXPECT_GT(searcher.figures().queries, 0U);
  EXPECT_EQ(searcher.figures().uncertified, 0U);
}

TEST_F(GpuFlat, QueriesAndAnswersInGpuMemory) {
  auto random = test::generator(92);
  const std::size_t dimension = 33;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 20'000 * dimension));
  std::vector<float> queries = test::draw(random, 50 * dimension);
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

TEST_F(GpuFlat, AnEmptyCollectionHasNothingWithinAnyRadius) {
  const Collection collection(Metric::kL2, Store::kFloat, 2, {});
  const GpuFlatSearcher searcher(collection.vectors, resources());
  EXPECT_THROW(searcher.nearest(std::vector<float>{0, 1}, 1), UsageError);
  EXPECT_EQ(searcher.within(std::vector<float>{0, 1}, 5).offsets,
            (std::vector<std::uint64_t>{0, 0}));
}

}  // namespace
}  // namespace warpdex::vector
