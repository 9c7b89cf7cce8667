// Tests of exact search on a GPU in every form: a plain search's answers, to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/reference.hpp"

namespace warpdex::vector {
namespace {

class GpuFlatForms : public GpuFlat, public testing::WithParamInterface<Form> {};

TEST_P(GpuFlatForms, SmallOnesAnswerAsAPlainSearch) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(static_cast<std::uint64_t>(metric) * 2 + store_bytes(store));
  for (const std::size_t dimension : {1, 3, 31, 32, 33, 96, 128, 300}) {
    for (const std::size_t rows : {1, 2, 31, 32, 33, 127, 128, 129, 1500}) {
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

/// Rows and queries just enough for products.
TEST_P(GpuFlatForms, ProductsOfUglySizesAnswerAsAPlainSearch) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(10 + static_cast<std::uint64_t>(metric) * 2 + store_bytes(store));
  struct Size {
    std::size_t rows;
    std::size_t queries;
  };
  for (const std::size_t dimension : {1, 3, 31, 32, 33, 128, 300, 515}) {
    for (const auto& [rows, count] :
         {Size{2048, 257}, {2177, 300}, {32'768, 2}, {33'001, 7}, {40'007, 129}}) {
      const Collection collection(metric, store, dimension,
                                  test::draw(random, rows * dimension, 0.3F, 1));
      const std::vector<float> queries = test::draw(random, count * dimension, 0.3F, 1);
      for (const std::size_t k : {1, 10, 100}) {
        const std::string what = describe(metric, store, dimension, rows) + ", queries " +
                                 std::to_string(count) + ", k " + std::to_string(k);
        const GpuFigures figures = expect_right(collection, queries, k, nullptr, {}, what);
        if (HasFatalFailure()) return;
        EXPECT_EQ(figures.queries, count) << what;
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
      const GpuFigures figures =
          expect_right(collection, queries, k, nullptr, {.memory = 0, .keeps_halves = keeps_halves},
                       "k " + std::to_string(k));
      EXPECT_LE(figures.uncertified, figures.queries / 10) << "k " << k;
    }
  }
}

TEST_P(GpuFlatForms, FiltersLetThroughWhatTheyAllow) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(40 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 24;
  const std::size_t rows = 40'000;
  const Collection collection(metric, store, dimension, test::draw(random, rows * dimension));
  const float radius = metric == Metric::kL2 ? 20.0F : 0.3F;
  for (const double share : {0.0, 0.001, 0.3, 0.999, 1.0}) {
    std::bernoulli_distribution allowed(share);
    RowFilter filter(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (allowed(random)) filter.add(row);
    }
    const std::string what = "share " + std::to_string(share);
    for (const std::size_t count : {1, 40, 300}) {
      const std::vector<float> queries = test::draw(random, count * dimension);
      expect_right(collection, queries, 15, &filter, {.memory = 0, .keeps_halves = true}, what);
      const auto searcher = search_on_gpu(collection.vectors, resources());
      expect_same(searcher->within(queries, radius, {.filter = &filter}),
                  FlatSearcher(collection.vectors).within(queries, radius, {.filter = &filter}),
                  what);
    }
  }
}

TEST_P(GpuFlatForms, RangesHoldAllWithinThem) {
  const auto [metric, store] = GetParam();
  auto random = test::generator(60 + static_cast<std::uint64_t>(metric));
  const std::size_t dimension = 16;
  const Collection collection(metric, store, dimension, test::draw(random, 5000 * dimension));
  const FlatSearcher cpu(collection.vectors);
  const auto gpu = search_on_gpu(collection.vectors, resources());
  for (const std::size_t count : {1, 50, 1100}) {
    const std::vector<float> queries = test::draw(random, count * dimension);
    const float exact = cpu.nearest(queries, 7).distances[6];
    for (const float radius :
         {exact, 0.0F, 0.5F, 10.0F, 30.0F, -1.0F, reference::kInfinity, -reference::kInfinity}) {
      if (count > 50 && std::isinf(radius)) continue;
      expect_same(gpu->within(queries, radius), cpu.within(queries, radius),
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
  struct Size {
    std::size_t rows;
    std::size_t queries;
    bool is_by_product;
  };
  for (const Size& size : {Size{2500, 1, false}, {2500, 300, true}, {33'000, 5, true}}) {
    const Collection collection(metric, store, dimension,
                                test::draw(random, size.rows * dimension));
    const std::vector<float> queries = test::draw(random, size.queries * dimension);
    RowFilter filter(size.rows);
    for (std::size_t row = 0; row < size.rows; row += 1 + row % 3) filter.add(row);
    const float radius = metric == Metric::kL2 ? 10.0F : 0.7F;
    constexpr std::size_t kPaging = std::size_t{40} << 20;
    for (const GpuSearchSettings& settings :
         {GpuSearchSettings{}, {.memory = 0, .keeps_halves = true}, {.memory = kPaging}}) {
      const std::string what = std::to_string(size.queries) + " queries";
      const GpuFigures figures = expect_right(collection, queries, 5, nullptr, settings, what);
      if (settings.memory == 0) {
        EXPECT_EQ(figures.queries > 0, size.is_by_product) << what;
      }
      const auto searcher = search_on_gpu(collection.vectors, resources(), settings);
      EXPECT_EQ(searcher->is_resident(), settings.memory == 0);
      expect_same(searcher->nearest(queries, 5, {.filter = &filter}),
                  reference::nearest(collection, queries, 5, &filter), what + ", filtered");
      expect_same(searcher->within(queries, radius),
                  reference::within(collection, queries, radius, nullptr), what + ", range");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuFlatTiny, kForms, form_name);

}  // namespace
}  // namespace warpdex::vector
