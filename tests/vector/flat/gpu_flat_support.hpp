// What tests of exact search on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/vector/collection.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/rows/row_filter.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {

using reference::expect_same;

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

inline const auto kForms = testing::Values(
    Form{Metric::kL2, Store::kFloat}, Form{Metric::kL2, Store::kHalf},
    Form{Metric::kInnerProduct, Store::kFloat}, Form{Metric::kInnerProduct, Store::kHalf},
    Form{Metric::kCosine, Store::kFloat}, Form{Metric::kCosine, Store::kHalf});

inline std::string form_name(const testing::TestParamInfo<Form>& form) {
  return std::string(metric_name(form.param.metric)) + "_" +
         std::string(store_name(form.param.store));
}

/// What there is in the GPU's memory for all tests.
inline Resources& resources() {
  static Resources shared;
  return shared;
}

/// Every `step`-th row, from a random one on.
inline RowFilter draw_filter(std::mt19937_64& random, std::size_t rows, std::size_t step) {
  RowFilter filter(rows);
  for (std::size_t row = random() % step; row < rows; row += step) filter.add(row);
  return filter;
}

/// What a plain search answers or, where that would take long, FlatSearcher, whose own tests
/// compare it with one.
inline Neighbors expected_neighbors(const Collection& collection, const std::vector<float>& queries,
                                    std::size_t k, const RowFilter* filter) {
  constexpr std::size_t kPlainProducts = 40'000'000;
  if (collection.vectors.vectors.rows * queries.size() <= kPlainProducts) {
    return reference::nearest(collection, queries, k, filter);
  }
  return FlatSearcher(collection.vectors).nearest(queries, k, {.filter = filter});
}

/// Searches on the GPU; returns what was made of products.
inline GpuFigures expect_right(const Collection& collection, const std::vector<float>& queries,
                               std::size_t k, const RowFilter* filter,
                               const GpuSearchSettings& settings, const std::string& what) {
  const auto searcher = search_on_gpu(collection.vectors, resources(), settings);
  expect_same(searcher->nearest(queries, k, {.filter = filter}),
              expected_neighbors(collection, queries, k, filter), what);
  return searcher->figures();
}

}  // namespace warpdex::vector
