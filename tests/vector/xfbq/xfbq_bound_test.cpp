// Tests of searches by a bound: what is certain is never wrong, what is likely seldom.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "tests/vector/xfbq/made_binary_codes.hpp"
#include "tests/vector/xfbq/plain_xfbq.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "xfbq/xfbq_bound.hpp"

namespace warpdex::vector {
namespace {

using test::BinaryCodesShape;
using test::MadeBinaryCodes;

/// The share of (query, row) pairs whose product is farther off than the bound says, in double
/// precision.
double share_beyond(const XfbqVectors& vectors, const std::vector<float>& queries,
                    XfbqBound bound) {
  const std::size_t dimension = vectors.quantizer.dimension;
  std::size_t beyond = 0;
  std::size_t count = 0;
  for (std::size_t first = 0; first < queries.size(); first += dimension) {
    std::vector<float> query(queries.begin() + static_cast<std::ptrdiff_t>(first),
                             queries.begin() + static_cast<std::ptrdiff_t>(first + dimension));
    if (vectors.metric == Metric::kCosine) normalize(query);
    const reference::PlainQuery plain = reference::plain_query(vectors, query, 8);
    std::vector<float> padded_query = query;
    padded_query.resize(padded(dimension));
    const QueryCode code = encode_query(vectors, 8, padded_query.data());
    const DistanceBound checked(vectors, code, padded_query.data(), bound);
    std::vector<float> row(dimension);
    for (std::size_t r = 0; r < vectors.rows; ++r, ++count) {
      copy_row(vectors.vectors.vectors, r, row.data());
      double distance = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double left = double{query[c]} - double{row[c]};
        distance += vectors.metric == Metric::kL2 ? left * left : -double{query[c]} * row[c];
      }
      const float by_codes = reference::plain_distance(vectors, plain, r);
      const float value = vectors.metric == Metric::kL2 ? by_codes : 0.0F - by_codes;
      beyond += distance < checked.lowest(r, value) ? 1 : 0;
    }
  }
  return static_cast<double>(beyond) / static_cast<double>(count);
}

TEST(XfbqBounds, TheCertainOneAlwaysHoldsAndTheLikelyOneNearlyAlways) {
  auto random = test::generator(1);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const std::size_t bits : {1, 3, 6}) {
      const MadeBinaryCodes made(random, {metric, 64, bits, true, Store::kFloat, true}, 2000);
      const std::vector<float> queries = test::draw(random, 20 * 64, 0.5F);
      EXPECT_EQ(share_beyond(made.view(), queries, XfbqBound::kCertain), 0);
      EXPECT_LT(share_beyond(made.view(), queries, XfbqBound::kLikely), 0.01);
    }
  }
}

/// Exact answers to 10,000 queries, of vectors in clusters, with ties; and fewer distances than
/// there are vectors.
TEST(XfbqBounds, CertainAnswersAreThoseOfAnExactSearch) {
  auto random = test::generator(2);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    const MadeBinaryCodes made(random, {metric, 48, 6, true, Store::kFloat, true}, 1500);
    const XfbqVectors vectors = made.view();
    const std::vector<float> queries = test::draw(random, std::size_t{10'000} * 48, 0.5F, 0.7F);
    const BoundedNeighbors found = XfbqSearcher(vectors).nearest_by_bound(
        queries, 5, {.query_bits = 8, .bound = XfbqBound::kCertain});
    const Neighbors exact = FlatSearcher(vectors.vectors).nearest(queries, 5);
    EXPECT_EQ(found.answers.rows, exact.rows) << metric_name(metric);
    EXPECT_EQ(found.answers.distances, exact.distances);
    double refined = 0;
    for (const std::uint32_t count : found.refined) refined += count;
    EXPECT_LT(refined / 10'000, 1000) << metric_name(metric);
    EXPECT_GE(refined / 10'000, 5);
  }
}

TEST(XfbqBounds, LikelyAnswersAreNearlyAllExactFromFewerDistances) {
  auto random = test::generator(3);
  const MadeBinaryCodes made(random, {Metric::kL2, 96, 5, true, Store::kFloat, true}, 3000);
  const XfbqSearcher searcher(made.view());
  const std::vector<float> queries = test::draw(random, 300 * 96, 0.5F);
  XfbqDepth depth{8, 20, 0, XfbqBound::kCertain};
  const BoundedNeighbors certain = searcher.nearest_by_bound(queries, 10, depth);
  depth.bound = XfbqBound::kLikely;
  const BoundedNeighbors likely = searcher.nearest_by_bound(queries, 10, depth);
  std::size_t missed = 0;
  std::size_t of_certain = 0;
  std::size_t of_likely = 0;
  for (std::size_t i = 0; i < certain.answers.rows.size(); ++i) {
    missed += certain.answers.rows[i] != likely.answers.rows[i] ? 1 : 0;
  }
  for (std::size_t q = 0; q < 300; ++q) {
    of_certain += certain.refined[q];
    of_likely += likely.refined[q];
  }
  EXPECT_LT(missed, 30U);
  EXPECT_LT(of_likely * 2, of_certain);
}

TEST(XfbqBounds, FiltersThreadsAndBadArguments) {
  auto random = test::generator(4);
  const MadeBinaryCodes made(random, {Metric::kL2, 33, 4, true, Store::kHalf, true}, 20'000);
  RowFilter filter(20'000);
  for (std::size_t row = 3; row < 20'000; row += 500) filter.add(row);
  const std::vector<float> queries = test::draw(random, 3 * 33, 0.5F);
  const XfbqDepth depth{0, 0, 0, XfbqBound::kCertain};
  for (const std::size_t k : {1, 10, 60}) {
    const Neighbors exact = FlatSearcher(made.view().vectors).nearest(queries, k, &filter);
    for (const std::size_t threads : {1, 3}) {
      reference::expect_same(XfbqSearcher(made.view(), threads).nearest(queries, k, depth, &filter),
                             exact, "filtered");
    }
  }
  XfbqVectors bare = made.view();
  bare.vectors = {};
  EXPECT_THROW(XfbqSearcher(bare).nearest(queries, 1, depth), UsageError);
  const MadeBinaryCodes plain(random, {Metric::kL2, 33, 4}, 100);
  EXPECT_THROW(XfbqSearcher(plain.view()).nearest(queries, 1, depth), UsageError);
}

}  // namespace
}  // namespace warpdex::vector
