// Tests of exact search on the CPU: answers against a plain search that sorts all rows by the
// canonical distance, written apart, and distances against double precision.
#include "warpdex/vector/flat/flat_searcher.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

using reference::Answer;

/// Vectors in memory with all that a search needs.
struct Collection {
  Collection(Metric metric, Store store, std::size_t dimension, std::vector<float> values)
      : rows(std::move(values)) {
    const std::size_t count = rows.size() / dimension;
    if (metric == Metric::kCosine) {
      for (std::size_t i = 0; i < count; ++i) normalize({rows.data() + i * dimension, dimension});
    }
    if (store == Store::kHalf) {
      halves.resize(rows.size());
      to_half(rows, halves.data());
      to_float(halves, rows.data());
    }
    if (metric == Metric::kL2 && count > 0) {
      centre.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(dimension));
    }
    for (std::size_t i = 0; i < count; ++i) {
      norms.push_back(row_norm(metric, {rows.data() + i * dimension, dimension}, centre));
    }
    const void* const data = store == Store::kHalf ? static_cast<const void*>(halves.data())
                                                   : static_cast<const void*>(rows.data());
    vectors = {metric, {data, store, count, dimension, dimension}, centre, norms};
  }
  std::vector<float> rows;
  std::vector<std::uint16_t> halves;
  std::vector<float> centre;
  std::vector<float> norms;
  FlatVectors vectors;
};

/// All rows that are allowed, nearest first.
std::vector<Answer> ranked(const Collection& collection, std::vector<float> query,
                           const RowFilter* filter) {
  const FlatVectors& vectors = collection.vectors;
  const std::size_t dimension = vectors.vectors.dimension;
  if (vectors.metric == Metric::kCosine) normalize(query);
  std::vector<Answer> all;
  for (std::size_t row = 0; row < vectors.vectors.rows; ++row) {
    if (filter != nullptr && !filter->contains(row)) continue;
    const std::span<const float> vector(collection.rows.data() + row * dimension, dimension);
    all.push_back({reference::distance(vectors.metric, query, vector), row});
  }
  reference::rank(vectors.metric, all);
  return all;
}

std::vector<float> query_of(const std::vector<float>& queries, std::size_t dimension,
                            std::size_t index) {
  const auto begin = queries.begin() + static_cast<std::ptrdiff_t>(index * dimension);
  return {begin, begin + static_cast<std::ptrdiff_t>(dimension)};
}

void expect_right(const Collection& collection, const std::vector<float>& queries, std::size_t k,
                  const RowFilter* filter, std::size_t threads, const std::string& what) {
  const std::size_t dimension = collection.vectors.vectors.dimension;
  const FlatSearcher searcher(collection.vectors, threads);
  const Neighbors found = searcher.nearest(queries, k, filter);
  ASSERT_EQ(found.queries, queries.size() / dimension);
  ASSERT_EQ(found.rows.size(), found.queries * k);
  for (std::size_t q = 0; q < found.queries; ++q) {
    const std::vector<Answer> expected =
        ranked(collection, query_of(queries, dimension, q), filter);
    for (std::size_t i = 0; i < k; ++i) {
      const bool there = i < expected.size();
      ASSERT_EQ(found.rows[q * k + i], there ? static_cast<std::int32_t>(expected[i].row) : -1)
          << what << ", query " << q << ", place " << i;
      ASSERT_EQ(found.distances[q * k + i],
                there ? expected[i].distance : worst_distance(collection.vectors.metric))
          << what << ", query " << q << ", place " << i;
    }
  }
}

void expect_range(const Collection& collection, const std::vector<float>& queries, float radius,
                  const RowFilter* filter, std::size_t threads, const std::string& what) {
  const std::size_t dimension = collection.vectors.vectors.dimension;
  const FlatSearcher searcher(collection.vectors, threads);
  const RangeNeighbors found = searcher.within(queries, radius, filter);
  ASSERT_EQ(found.offsets.size(), queries.size() / dimension + 1);
  for (std::size_t q = 0; q + 1 < found.offsets.size(); ++q) {
    std::vector<Answer> expected = ranked(collection, query_of(queries, dimension, q), filter);
    const bool larger = larger_is_nearer(collection.vectors.metric);
    std::erase_if(expected, [&](const Answer& one) {
      return larger ? one.distance < radius : one.distance > radius;
    });
    ASSERT_EQ(found.offsets[q + 1] - found.offsets[q], expected.size()) << what << ", query " << q;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found.rows[found.offsets[q] + i], static_cast<std::int32_t>(expected[i].row))
          << what;
      ASSERT_EQ(found.distances[found.offsets[q] + i], expected[i].distance) << what;
    }
  }
}

/// Numbers of some distribution, `count` of them.
std::vector<float> draw(std::mt19937_64& random, std::size_t count, float mean, float deviation) {
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::string describe(Metric metric, Store store, std::size_t dimension, std::size_t rows) {
  return std::string(metric_name(metric)) + ", " + std::string(store_name(store)) + ", " +
         std::to_string(rows) + " x " + std::to_string(dimension);
}

struct Form {
  Metric metric;
  Store store;
};

class FlatSearcherForms : public testing::TestWithParam<Form> {};

TEST_P(FlatSearcherForms, AnswersAsAPlainSearch) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(static_cast<std::uint64_t>(metric) * 2 + store_bytes(store));
  for (const std::size_t dimension : {1, 3, 32, 33, 100, 128}) {
    for (const std::size_t rows : {1, 2, 31, 32, 33, 127, 128, 129, 1500}) {
      const Collection collection(metric, store, dimension,
                                  draw(random, rows * dimension, 0.3F, 1));
      for (const std::size_t count : {1, 19, 20, 37}) {
        const std::vector<float> queries = draw(random, count * dimension, 0.3F, 1);
        for (const std::size_t k : {std::size_t{1}, std::size_t{10}, rows}) {
          if (k > rows) continue;
          expect_right(collection, queries, k, nullptr, 1 + count % 3,
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
  const Collection collection(metric, store, dimension, draw(random, 30'000 * dimension, 0, 1));
  for (const std::size_t count : {1, 30}) {
    const std::vector<float> queries = draw(random, count * dimension, 0, 1);
    for (const std::size_t k : {1, 100, 3000}) {
      expect_right(collection, queries, k, nullptr, 5, "k " + std::to_string(k));
    }
  }
}

TEST_P(FlatSearcherForms, FiltersLetThroughWhatTheyAllow) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(40 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 24;
  const std::size_t rows = 9000;
  const Collection collection(metric, store, dimension, draw(random, rows * dimension, 0, 1));
  for (const double share : {0.0, 0.001, 0.3, 0.999, 1.0}) {
    std::bernoulli_distribution allowed(share);
    RowFilter filter(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (allowed(random)) filter.add(row);
    }
    for (const std::size_t count : {2, 40}) {
      const std::vector<float> queries = draw(random, count * dimension, 0, 1);
      expect_right(collection, queries, 15, &filter, 2, "share " + std::to_string(share));
      expect_range(collection, queries, metric == Metric::kL2 ? 20.0F : 0.3F, &filter, 2,
                   "share " + std::to_string(share));
    }
  }
}

TEST_P(FlatSearcherForms, RangesHoldAllWithinThem) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(60 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 16;
  const Collection collection(metric, store, dimension, draw(random, 5000 * dimension, 0, 1));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {1, 50}) {
    const std::vector<float> queries = draw(random, count * dimension, 0, 1);
    const float exact = ranked(collection, query_of(queries, dimension, 0), nullptr)[7].distance;
    for (const float radius : {exact, 0.0F, 0.5F, 10.0F, 30.0F, -1.0F, kInfinity, -kInfinity}) {
      expect_range(collection, queries, radius, nullptr, 3, "radius " + std::to_string(radius));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, FlatSearcherForms,
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
class FlatSearcherHard : public testing::TestWithParam<Metric> {};

TEST_P(FlatSearcherHard, FarFromTheOrigin) {
  auto random = test::generator(80);
  const std::size_t dimension = 64;
  std::vector<float> values = draw(random, 4000 * dimension, 5000, 1);
  // A few rows elsewhere, so that the centre (here the first row) is near most rows only.
  for (std::size_t i = 3900 * dimension; i < values.size(); ++i) values[i] -= 10'000;
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  for (const float mean : {5000.0F, -5000.0F, 0.0F}) {
    expect_right(collection, draw(random, 30 * dimension, mean, 1), 10, nullptr, 2,
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
    expect_right(collection, queries, k, nullptr, 1, "k " + std::to_string(k));
  }
}

TEST_P(FlatSearcherHard, LengthsOfAllMagnitudes) {
  auto random = test::generator(82);
  const std::size_t dimension = 12;
  std::uniform_real_distribution<float> exponent(-60, 60);
  std::vector<float> values = draw(random, 3000 * dimension, 0, 1);
  std::vector<float> queries = draw(random, 40 * dimension, 0, 1);
  for (auto* vectors : {&values, &queries}) {
    for (std::size_t begin = 0; begin < vectors->size(); begin += dimension) {
      const float factor = std::exp2(exponent(random));
      for (std::size_t c = 0; c < dimension; ++c) (*vectors)[begin + c] *= factor;
    }
  }
  const Collection collection(GetParam(), Store::kFloat, dimension, values);
  expect_right(collection, queries, 20, nullptr, 1, "magnitudes");
}

TEST_P(FlatSearcherHard, SquaresBelowAndAboveTheRangeOfFloats) {
  auto random = test::generator(83);
  const std::size_t dimension = 6;
  for (const float factor : {0x1p-140F, 0x1p-75F, 0x1p62F, 0x1p70F}) {
    std::vector<float> values = draw(random, 2000 * dimension, 0, 1);
    std::vector<float> queries = draw(random, 30 * dimension, 0, 1);
    for (float& value : values) value *= factor;
    for (float& value : queries) value *= factor;
    // Products past the range would be NaN, which have no order in the plain search.
    for (float& value : queries) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    for (float& value : values) value = GetParam() == Metric::kL2 ? value : std::abs(value);
    const Collection collection(GetParam(), Store::kFloat, dimension, values);
    expect_right(collection, queries, 20, nullptr, 1, "factor " + std::to_string(factor));
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
  const std::vector<float> values = draw(random, 2000 * dimension, 1000, 1);
  const Collection collection(Metric::kL2, Store::kFloat, dimension, values);
  const std::vector<float> queries = draw(random, 30 * dimension, 1000, 1);
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
                              draw(random, 10'000 * dimension, 0, 1));
  const std::vector<float> queries = draw(random, 50 * dimension, 0, 1);
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

/// Zeros that take no memory until they are written to.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~ZeroPages() { munmap(data_, bytes_); }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  void* data() const { return data_ == MAP_FAILED ? nullptr : data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(FlatSearcher, FindsRowsPast2To31Components) {
  const std::size_t dimension = 4096;
  const std::size_t rows = 524'288 + 1000;
  const ZeroPages pages(rows * dimension * 2);
  ASSERT_NE(pages.data(), nullptr);
  auto* const halves = static_cast<std::uint16_t*>(pages.data());
  constexpr std::uint16_t kOne = 0x3C00;
  const std::vector<std::size_t> marked{3, 524'287, 524'288, rows - 1};
  std::vector<float> norms(rows);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    for (std::size_t c = 0; c <= i; ++c) halves[marked[i] * dimension + c] = kOne;
    norms[marked[i]] = static_cast<float>(i + 1);
  }
  const FlatVectors vectors{
      Metric::kL2, {halves, Store::kHalf, rows, dimension, dimension}, {}, norms};
  const FlatSearcher searcher(vectors, 2);
  for (const std::size_t count : {1, 20}) {
    std::vector<float> queries(count * dimension);
    for (std::size_t q = 0; q < count; ++q) std::fill_n(queries.begin() + q * dimension, 4, 1.0F);
    const Neighbors found = searcher.nearest(queries, 5);
    for (std::size_t q = 0; q < count; ++q) {
      EXPECT_THAT(std::span(found.rows).subspan(q * 5, 5),
                  testing::ElementsAre(rows - 1, 524'288, 524'287, 3, 0));
      EXPECT_THAT(std::span(found.distances).subspan(q * 5, 5),
                  testing::ElementsAre(0, 1, 2, 3, 4));
    }
  }
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
  EXPECT_THROW(searcher.nearest(one, 1, &other), UsageError);
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
