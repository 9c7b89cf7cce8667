// Tests of exact search on the CPU: answers against a plain search that sorts all rows by the
// canonical distance, written apart, and distances against double precision.
#include "warpdex/vector/flat/flat_searcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/past_2_31.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

void expect_as_plain(const Collection& collection, const std::vector<float>& queries, std::size_t k,
                     const RowFilter* filter, std::size_t threads, const std::string& what) {
  reference::expect_same(
      FlatSearcher(collection.vectors, threads).nearest(queries, k, {.filter = filter}),
      reference::nearest(collection, queries, k, filter), what);
}

void expect_range(const Collection& collection, const std::vector<float>& queries, float radius,
                  const RowFilter* filter, std::size_t threads, const std::string& what) {
  reference::expect_same(
      FlatSearcher(collection.vectors, threads).within(queries, radius, {.filter = filter}),
      reference::within(collection, queries, radius, filter), what);
}

struct FlatForm {
  Metric metric;
  Store store;
};

class FlatSearcherForms : public testing::TestWithParam<FlatForm> {};

TEST_P(FlatSearcherForms, AnswersAsAPlainSearch) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(static_cast<std::uint64_t>(metric) * 2 + store_bytes(store));
  for (const std::size_t dimension : {1, 3, 32, 33, 100, 128}) {
    for (const std::size_t rows : {1, 2, 31, 32, 33, 127, 128, 129, 1500}) {
      const Collection collection(metric, store, dimension,
                                  test::draw(random, rows * dimension, 0.3F, 1));
      for (const std::size_t count : {1, 19, 20, 37}) {
        const std::vector<float> queries = test::draw(random, count * dimension, 0.3F, 1);
        for (const std::size_t k : {std::size_t{1}, std::size_t{10}, rows}) {
          if (k > rows) continue;
          expect_as_plain(collection, queries, k, nullptr, 1 + count % 3,
                          describe(metric, store, dimension, rows) + ", k " + std::to_string(k));
        }
      }
    }
  }
}

TEST_P(FlatSearcherForms, ManyRowsAndThreadsAreCutIntoParts) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(20 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 20;
  const Collection collection(metric, store, dimension, test::draw(random, 30'000 * dimension));
  for (const std::size_t count : {1, 30}) {
    const std::vector<float> queries = test::draw(random, count * dimension);
    for (const std::size_t k : {1, 100, 3000}) {
      expect_as_plain(collection, queries, k, nullptr, 5, "k " + std::to_string(k));
    }
  }
}

TEST_P(FlatSearcherForms, FiltersLetThroughWhatTheyAllow) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(40 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 24;
  const std::size_t rows = 9000;
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension));
  for (const double share : {0.0, 0.001, 0.3, 0.999, 1.0}) {
    std::bernoulli_distribution allowed(share);
    RowFilter filter(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (allowed(random)) filter.add(row);
    }
    for (const std::size_t count : {2, 40}) {
      const std::vector<float> queries = test::draw(random, count * dimension);
      expect_as_plain(collection, queries, 15, &filter, 2, "share " + std::to_string(share));
      expect_range(collection, queries, metric == Metric::kL2 ? 20.0F : 0.3F, &filter, 2,
                   "share " + std::to_string(share));
    }
  }
}

TEST_P(FlatSearcherForms, RangesHoldAllWithinThem) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(60 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 16;
  const Collection collection(metric, store, dimension, test::draw(random, 5000 * dimension));
  for (const std::size_t count : {1, 50}) {
    const std::vector<float> queries = test::draw(random, count * dimension);
    const float exact =
        reference::ranked(collection, {queries.data(), dimension}, nullptr)[7].distance;
    for (const float radius :
         {exact, 0.0F, 0.5F, 10.0F, 30.0F, -1.0F, reference::kInfinity, -reference::kInfinity}) {
      expect_range(collection, queries, radius, nullptr, 3, "radius " + std::to_string(radius));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, FlatSearcherForms,
                         testing::Values(FlatForm{Metric::kL2, Store::kFloat},
                                         FlatForm{Metric::kL2, Store::kHalf},
                                         FlatForm{Metric::kInnerProduct, Store::kFloat},
                                         FlatForm{Metric::kInnerProduct, Store::kHalf},
                                         FlatForm{Metric::kCosine, Store::kFloat},
                                         FlatForm{Metric::kCosine, Store::kHalf}),
                         [](const testing::TestParamInfo<FlatForm>& form) {
                           return std::string(metric_name(form.param.metric)) + "_" +
                                  std::string(store_name(form.param.store));
                         });

/// Collections that make bounds loose or many distances equal.
class FlatSearcherHard : public testing::TestWithParam<Metric> {};

TEST_P(FlatSearcherHard, FarFromTheOrigin) {
  auto random = test::generator(80);
  const std::size_t dimension = 64;
  std::vector<float> values = test::draw(random, 4000 * dimension, 5000, 1);
  // A few rows elsewhere, so that the centre (here the first row) is near most rows only.
  for (std::size_t i = 3900 * dimension; i < values.size(); ++i) values[i] -= 10'000;
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  for (const float mean : {5000.0F, -5000.0F, 0.0F}) {
    expect_as_plain(collection, test::draw(random, 30 * dimension, mean, 1), 10, nullptr, 2,
                    "queries around " + std::to_string(mean));
  }
}

TEST_P(FlatSearcherHard, DuplicatesAndZeros) {
  auto random = test::generator(81);
  const std::size_t dimension = 8;
  std::vector<float> values(6000 * dimension);
  std::uniform_int_distribution<int> few(-1, 1);
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = static_cast<float>(few(random));
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  std::vector<float> queries(30 * dimension);
  for (std::size_t i = dimension; i < queries.size(); ++i)
    queries[i] = static_cast<float>(few(random));
  for (const std::size_t k : {1, 100, 2500}) {
    expect_as_plain(collection, queries, k, nullptr, 1, "k " + std::to_string(k));
  }
}

TEST_P(FlatSearcherHard, LengthsOfAllMagnitudes) {
  auto random = test::generator(82);
  const std::size_t dimension = 12;
  std::vector<float> values = test::draw(random, 3000 * dimension);
  std::vector<float> queries = test::draw(random, 40 * dimension);
  for (auto* vectors : {&values, &queries}) test::scale_rows(random, *vectors, dimension, 60);
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  expect_as_plain(collection, queries, 20, nullptr, 1, "magnitudes");
}

TEST_P(FlatSearcherHard, SquaresBelowAndAboveTheRangeOfFloats) {
  auto random = test::generator(83);
  const std::size_t dimension = 6;
  for (const float factor : {0x1p-140F, 0x1p-75F, 0x1p62F, 0x1p70F}) {
    std::vector<float> values = test::draw(random, 2000 * dimension);
    std::vector<float> queries = test::draw(random, 30 * dimension);
    for (float& value : values) value *= factor;
    for (float& value : queries) value *= factor;
    // Products past the range would be NaN, which have no order in the plain search.
    for (float& value : queries) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    for (float& value : values) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    const Collection collection(GetParam(), Store::kFloat, dimension, values);
    expect_as_plain(collection, queries, 20, nullptr, 1, "factor " + std::to_string(factor));
  }
}

INSTANTIATE_TEST_SUITE_P(Metrics, FlatSearcherHard,
                         testing::Values(Metric::kL2, Metric::kInnerProduct, Metric::kCosine),
                         [](const testing::TestParamInfo<Metric>& metric) {
                           return std::string(metric_name(metric.param));
                         });

TEST(FlatSearcher, DistancesAreNearThoseOfDoublePrecision) {
  auto random = test::generator(90);
  const std::size_t dimension = 128;
  const std::vector<float> values = test::draw(random, 2000 * dimension, 1000, 1);
  const Collection collection(Metric::kL2, Store::kFloat, dimension, values);
  const std::vector<float> queries = test::draw(random, 30 * dimension, 1000, 1);
  const Neighbors found = FlatSearcher(collection.vectors, 1).nearest(queries, 10);
  for (std::size_t q = 0; q < 30; ++q) {
    std::vector<std::pair<double, std::int32_t>> truth;
    for (std::size_t row = 0; row < 2000; ++row) {
      double sum = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double left =
            double{queries[q * dimension + c]} - double{values[row * dimension + c]};
        sum += left * left;
      }
      truth.emplace_back(sum, static_cast<std::int32_t>(row));
    }
    std::sort(truth.begin(), truth.end());
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(found.distances[q * 10 + i], truth[i].first, truth[i].first * 1e-5);
      const bool is_close =
          i + 1 < truth.size() && truth[i + 1].first - truth[i].first < truth[i].first * 1e-5;
      const bool was_close = i > 0 && truth[i].first - truth[i - 1].first < truth[i].first * 1e-5;
      if (!is_close && !was_close) {
        EXPECT_EQ(found.rows[q * 10 + i], truth[i].second);
      }
    }
  }
}

TEST(FlatSearcher, ManyThreadsSearchAtOnce) {
  auto random = test::generator(91);
  const std::size_t dimension = 32;
  const Collection collection(Metric::kL2, Store::kFloat, dimension,
                              test::draw(random, 10'000 * dimension));
  const std::vector<float> queries = test::draw(random, 50 * dimension);
  const FlatSearcher searcher(collection.vectors, 2);
  const Neighbors alone = searcher.nearest(queries, 10);
  std::vector<Neighbors> together(6);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < together.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) together[t] = searcher.nearest(queries, 10);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Neighbors& one : together) {
    EXPECT_EQ(one.rows, alone.rows);
    EXPECT_EQ(one.distances, alone.distances);
  }
}

TEST(FlatSearcher, FindsRowsPast2To31Components) {
  const ManyComponents many;
  ASSERT_NE(many.vectors().vectors.data, nullptr);
  const FlatSearcher searcher(many.vectors(), 2);
  ManyComponents::expect_found(searcher, 1);
  ManyComponents::expect_found(searcher, 20);
}

TEST(FlatSearcher, RefusesWhatItCannotAnswer) {
  const Collection collection(Metric::kL2, Store::kFloat, 2, {0, 0, 1, 1, 2, 2});
  const FlatSearcher searcher(collection.vectors, 1);
  const std::vector<float> one{0, 1};
  EXPECT_THROW(searcher.nearest(one, 0), UsageError);
  EXPECT_THROW(searcher.nearest(one, 4), UsageError);
  EXPECT_THROW(searcher.nearest(std::vector<float>{1, 2, 3}, 1), UsageError);
  EXPECT_THROW(searcher.within(one, std::nanf("")), UsageError);
  const RowFilter other(4);
  EXPECT_THROW(searcher.nearest(one, 1, {.filter = &other}), UsageError);
  try {
    searcher.nearest(std::vector<float>{0, 1, 2, std::nanf("")}, 1);
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("query 1"));
    EXPECT_THAT(error.what(), testing::HasSubstr("column 1"));
  }
  EXPECT_EQ(searcher.nearest({}, 2).queries, 0U);
  EXPECT_EQ(searcher.within({}, 1).offsets, std::vector<std::uint64_t>{0});
}

TEST(FlatSearcher, AnEmptyCollectionHasNothingWithinAnyRadius) {
  const Collection collection(Metric::kL2, Store::kFloat, 2, {});
  const FlatSearcher searcher(collection.vectors, 2);
  EXPECT_THROW(searcher.nearest(std::vector<float>{0, 1}, 1), UsageError);
  EXPECT_EQ(searcher.within(std::vector<float>{0, 1}, 5).offsets,
            (std::vector<std::uint64_t>{0, 0}));
}

}  // namespace
}  // namespace warpdex::vector
