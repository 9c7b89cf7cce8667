// What searches by codes find for products: as much for cosine as for squared distances of the same
// vectors, and more than without terms, the arithmetic of version 2 of the format. Exact searches
// say what is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/binary_builder.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kRecallDimension = 48;
constexpr std::size_t kRecallRows = 4000;
constexpr std::size_t kRecallQueries = 300;
constexpr std::size_t kRecallNearest = 10;
constexpr std::size_t kRecallProbes = 8;

/// Vectors in clusters, without negative components, as those of images are: far from the origin.
std::vector<float> draw_clusters(std::mt19937_64& random, std::size_t rows,
                                 const std::vector<float>& clusters) {
  std::normal_distribution<float> normal(0, 0.35F);
  std::vector<float> values;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t cluster = random() % (clusters.size() / kRecallDimension);
    for (std::size_t c = 0; c < kRecallDimension; ++c) {
      values.push_back(std::abs(clusters[cluster * kRecallDimension + c] + normal(random)));
    }
  }
  return values;
}

/// Rows and queries; `spread` is how much rows' lengths differ. Queries are of length 1.
struct RecallData {
  RecallData(std::mt19937_64& random, float spread) {
    std::vector<float> clusters = test::draw(random, 60 * kRecallDimension);
    for (float& component : clusters) component = std::abs(component);
    rows = draw_clusters(random, kRecallRows, clusters);
    queries = draw_clusters(random, kRecallQueries, clusters);
    std::normal_distribution<float> normal(0, spread);
    for (std::size_t i = 0; i < rows.size(); i += kRecallDimension) {
      normalize({rows.data() + i, kRecallDimension});
      const float length = std::exp(normal(random));
      for (std::size_t c = 0; c < kRecallDimension; ++c) rows[i + c] *= length;
    }
    for (std::size_t i = 0; i < queries.size(); i += kRecallDimension) {
      normalize({queries.data() + i, kRecallDimension});
    }
  }
  std::vector<float> rows;
  std::vector<float> queries;
};

/// The share of the nearest that is found.
double recall(const SearchedVectors& codes, const FlatVectors& rows,
              const std::vector<float>& queries) {
  const Neighbors truth = FlatSearcher(rows, 1).nearest(queries, kRecallNearest);
  const SearchOptions options{.probes = kRecallProbes};
  const Neighbors found = search_on_cpu(codes, 1)->nearest(queries, kRecallNearest, options);
  std::size_t hits = 0;
  for (std::size_t q = 0; q < kRecallQueries; ++q) {
    const auto begin = found.rows.begin() + static_cast<std::ptrdiff_t>(q * kRecallNearest);
    for (std::size_t i = 0; i < kRecallNearest; ++i) {
      const std::int32_t row = truth.rows[q * kRecallNearest + i];
      hits += std::find(begin, begin + kRecallNearest, row) == begin + kRecallNearest ? 0 : 1;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(truth.rows.size());
}

/// What was found by codes of one kind, with terms and, of products, without.
struct Recalls {
  double with = 0;
  double without = 0;
};

Recalls of_all(const RecallData& data, Metric metric, const BinarySettings& settings) {
  const Collection all(metric, Store::kFloat, kRecallDimension, data.rows);
  const OwnedBinaryVectors built = build_binary(all.vectors, settings);
  BinaryVectors codes = built.view();
  Recalls found{recall(codes, all.vectors, data.queries)};
  if (metric == Metric::kL2) return found;
  codes.terms = {};
  codes.quantizer.moves_queries = false;
  found.without = recall(codes, all.vectors, data.queries);
  return found;
}

template <class Build>
Recalls of_lists(const RecallData& data, Metric metric, const Build& build) {
  const Collection all(metric, Store::kFloat, kRecallDimension, data.rows);
  const auto built = build(all.vectors);
  auto codes = built.view();
  Recalls found{recall(codes, all.vectors, data.queries)};
  if (metric == Metric::kL2) return found;
  codes.terms = {};
  if constexpr (requires { codes.quantizer.centre; }) codes.quantizer.centre = {};
  found.without = recall(codes, all.vectors, data.queries);
  return found;
}

Recalls of_binary_lists(const RecallData& data, Metric metric, const BinarySettings& settings) {
  return of_lists(data, metric, [&](const FlatVectors& rows) {
    return build_binary_lists(rows, {.lists = 20}, settings);
  });
}

Recalls of_pq_lists(const RecallData& data, Metric metric, const PqSettings& settings) {
  return of_lists(data, metric, [&](const FlatVectors& rows) {
    return build_pq_lists(rows, {.lists = 20}, settings);
  });
}

std::vector<BinarySettings> binary_settings() {
  return {{.bits = 1},
          {.bits = 2, .is_rotated = true},
          {.bits = 3},
          {.bits = 4, .is_rotated = true, .is_corrected = true}};
}

std::vector<PqSettings> pq_settings() {
  return {{.bytes = 8}, {.bytes = 8, .bits = 4, .is_rotated = true}};
}

void expect_as_l2(const Recalls& cosine, const Recalls& l2, const std::string& what) {
  EXPECT_GE(cosine.with, l2.with - 0.01) << what;
  EXPECT_GT(cosine.with, cosine.without) << what;
  EXPECT_GT(l2.with, 0.005) << what;
}

TEST(ProductRecall, CosineFindsAsMuchAsSquaredDistances) {
  auto random = test::generator(190);
  const RecallData data(random, 0);
  for (const BinarySettings& settings : binary_settings()) {
    const std::string what = std::to_string(settings.bits) + " bits";
    expect_as_l2(of_all(data, Metric::kCosine, settings), of_all(data, Metric::kL2, settings),
                 what);
    expect_as_l2(of_binary_lists(data, Metric::kCosine, settings),
                 of_binary_lists(data, Metric::kL2, settings), what + ", lists");
  }
  for (const PqSettings& settings : pq_settings()) {
    expect_as_l2(of_pq_lists(data, Metric::kCosine, settings),
                 of_pq_lists(data, Metric::kL2, settings),
                 std::to_string(settings.bits) + " bits of a run");
  }
}

TEST(ProductRecall, InnerProductsOfLongAndShortVectorsFindMoreByTerms) {
  auto random = test::generator(191);
  for (const float factor : {1.0F, 50.0F}) {
    RecallData data(random, 0.3F);
    for (float& component : data.queries) component *= factor;
    Recalls all{};
    const auto take = [&](const Recalls& found, std::size_t bits) {
      EXPECT_GE(found.with, found.without - 0.01) << bits << " bits, times " << factor;
      all.with += found.with;
      all.without += found.without;
    };
    for (const BinarySettings& settings : binary_settings()) {
      take(of_all(data, Metric::kInnerProduct, settings), settings.bits);
      take(of_binary_lists(data, Metric::kInnerProduct, settings), settings.bits);
    }
    for (const PqSettings& settings : pq_settings()) {
      take(of_pq_lists(data, Metric::kInnerProduct, settings), settings.bits);
    }
    EXPECT_GT(all.with, all.without) << "times " << factor;
  }
}

}  // namespace
}  // namespace warpdex::vector
