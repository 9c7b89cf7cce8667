// Tests of exact search on a GPU beside its answers: threads, GPU memory, limits, what is refused.
#include <gtest/gtest.h>

#include <cmath>
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

TEST_F(GpuFlat, ManyThreadsShareLittleMemory) {
  auto random = test::generator(91);
  const std::size_t dimension = 32;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 100'000 * dimension));
  const std::vector<float> queries = test::draw(random, 500 * dimension);
  const auto searcher = search_on_gpu(collection.vectors, resources(),
                                      {.memory = std::size_t{128} << 20, .keeps_halves = false});
  const Neighbors alone = FlatSearcher(collection.vectors).nearest(queries, 10);
  std::vector<Neighbors> together(6);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < together.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) together[t] = searcher->nearest(queries, 10);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Neighbors& one : together) expect_same(one, alone, "together");
}

TEST_F(GpuFlat, ThreadsAskForWhatTheyLike) {
  auto random = test::generator(93);
  const std::size_t dimension = 32;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 40'000 * dimension));
  RowFilter filter(40'000);
  for (std::size_t row = 0; row < 40'000; row += 7) filter.add(row);
  struct Asked {
    std::size_t queries;
    std::size_t k;
    const RowFilter* filter;
  };
  const std::vector<Asked> asked{{1, 10, nullptr},   {100, 1, nullptr},  {300, 100, &filter},
                                 {7, 2048, nullptr}, {3, 5000, nullptr}, {50, 3000, nullptr}};
  const std::vector<float> queries = test::draw(random, 300 * dimension);
  const FlatSearcher cpu(collection.vectors);
  const auto gpu = search_on_gpu(collection.vectors, resources(),
                                 {.memory = std::size_t{256} << 20, .keeps_halves = false});
  const auto search = [&](const VectorSearcher& searcher, const Asked& one) {
    return searcher.nearest({queries.data(), one.queries * dimension}, one.k,
                            {.filter = one.filter});
  };
  std::vector<std::vector<Neighbors>> found(asked.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < asked.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) found[t].push_back(search(*gpu, asked[t]));
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
  const auto searcher = search_on_gpu(many.vectors(), resources());
  EXPECT_TRUE(searcher->is_resident());
  ManyComponents::expect_found(*searcher, 1);
  ManyComponents::expect_found(*searcher, 20);
  EXPECT_GT(searcher->figures().queries, 0U);
  EXPECT_EQ(searcher->figures().uncertified, 0U);
}

TEST_F(GpuFlat, QueriesAndAnswersInGpuMemory) {
  auto random = test::generator(92);
  const std::size_t dimension = 33;
  const std::size_t count = 300;
  const std::size_t k = 20;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 20'000 * dimension));
  std::vector<float> queries = test::draw(random, count * dimension);
  const auto searcher = search_on_gpu(collection.vectors, resources());
  Neighbors expected = FlatSearcher(collection.vectors).nearest(queries, k);
  const Stream stream;
  DeviceArray<float> given(queries.size());
  DeviceArray<std::int32_t> rows(count * k);
  DeviceArray<float> distances(count * k);
  given.upload(queries, stream);
  stream.synchronize();
  searcher->nearest_on_gpu(given.data(), count, k, rows.data(), distances.data());
  Neighbors found{count, k, std::vector<std::int32_t>(count * k), std::vector<float>(count * k)};
  rows.download(found.rows, stream);
  distances.download(found.distances, stream);
  stream.synchronize();
  expect_same(found, expected, "in GPU memory");
  queries[7 * dimension + 3] = std::nanf("");
  given.upload(queries, stream);
  stream.synchronize();
  searcher->nearest_on_gpu(given.data(), count, k, rows.data(), distances.data());
  std::vector<float> with_nan(count * k);
  distances.download(with_nan, stream);
  stream.synchronize();
  for (std::size_t i = 0; i < with_nan.size(); ++i) {
    EXPECT_EQ(std::isnan(with_nan[i]), i / k == 7) << i;
    if (i / k != 7) {
      EXPECT_EQ(with_nan[i], expected.distances[i]);
    }
  }
}

TEST_F(GpuFlat, RefusesWhatItCannotAnswer) {
  const Collection collection(Metric::kL2, Store::kFloat, 2, {0, 0, 1, 1, 2, 2});
  const auto searcher = search_on_gpu(collection.vectors, resources());
  const std::vector<float> one{0, 1};
  EXPECT_THROW(searcher->nearest(one, 0), UsageError);
  EXPECT_THROW(searcher->nearest(one, 4), UsageError);
  EXPECT_THROW(searcher->nearest(std::vector<float>{1, 2, 3}, 1), UsageError);
  EXPECT_THROW(searcher->within(one, std::nanf("")), UsageError);
  const RowFilter other(4);
  EXPECT_THROW(searcher->nearest(one, 1, {.filter = &other}), UsageError);
  EXPECT_THROW(
      search_on_gpu(collection.vectors, resources(), {.memory = 1000, .keeps_halves = false})
          ->nearest(one, 1),
      Error);
}

TEST_F(GpuFlat, AnEmptyCollectionHasNothingWithinAnyRadius) {
  const Collection collection(Metric::kL2, Store::kFloat, 2, {});
  const auto searcher = search_on_gpu(collection.vectors, resources());
  EXPECT_THROW(searcher->nearest(std::vector<float>{0, 1}, 1), UsageError);
  EXPECT_EQ(searcher->within(std::vector<float>{0, 1}, 5).offsets,
            (std::vector<std::uint64_t>{0, 0}));
}

}  // namespace
}  // namespace warpdex::vector
