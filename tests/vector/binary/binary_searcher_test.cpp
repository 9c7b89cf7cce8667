// Tests of the search of binary codes on the CPU: distances and ranks to the bit, against codes
// read component by component.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/binary/made_binary_codes.hpp"
#include "tests/vector/binary/plain_binary.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

using reference::Answer;
using test::BinaryCodesShape;
using test::MadeBinaryCodes;

std::string describe(const BinaryCodesShape& shape, std::size_t rows, const SearchOptions& depth) {
  return vector::describe(shape.metric, shape.store, shape.dimension, rows) + ", " +
         std::to_string(shape.bits) + (shape.is_rotated ? " bits, rotated" : " bits") +
         (shape.is_corrected ? ", corrected" : "") +
         (shape.is_of_version_2 ? ", of version 2" : "") + ", " + std::to_string(depth.query_bits) +
         " of the query, " + std::to_string(depth.refine) + " refined, extra " +
         std::to_string(depth.extra);
}

/// What the search should find: by codes, or of the best by codes the nearest by their vectors.
std::vector<Answer> plain_nearest(const BinaryVectors& vectors, std::vector<float> query,
                                  std::size_t k, const SearchOptions& depth,
                                  const RowFilter* filter) {
  const int bits = static_cast<int>(
      depth.query_bits > 0 ? depth.query_bits : std::max<std::size_t>(4, vectors.quantizer.bits));
  const reference::PlainQuery plain = reference::plain_query(vectors, query, bits);
  std::vector<Answer> all = reference::rank_by_codes(vectors, plain, filter);
  if (depth.refine > 0) {
    const std::size_t taken = std::min(all.size(), std::max(k, depth.refine));
    if (taken > 0) {
      const float sign = vectors.metric == Metric::kL2 ? 1.0F : -1.0F;
      const float last = sign * all[taken - 1].distance;
      const float margin = static_cast<float>(depth.extra) * plain.step;
      std::size_t end = taken;
      while (depth.extra > 0 && end < all.size() && sign * all[end].distance <= last + margin) {
        ++end;
      }
      all.resize(end);
    }
    if (vectors.metric == Metric::kCosine) normalize(query);
    std::vector<float> row(query.size());
    for (Answer& one : all) {
      copy_row(vectors.vectors.vectors, one.row, row.data());
      one.distance = reference::distance(vectors.metric, query, row);
    }
    reference::rank(vectors.metric, all);
  }
  if (all.size() > k) all.resize(k);
  return all;
}

void expect_nearest(const BinaryVectors& vectors, const std::vector<float>& queries, std::size_t k,
                    const SearchOptions& depth, const RowFilter* filter, const std::string& what) {
  const std::size_t dimension = vectors.quantizer.dimension;
  const Neighbors found = search_on_cpu(vectors, 2)->nearest(queries, k, depth.among(filter));
  ASSERT_EQ(found.rows.size(), queries.size() / dimension * k);
  for (std::size_t q = 0; q < queries.size() / dimension; ++q) {
    const auto begin = queries.begin() + static_cast<std::ptrdiff_t>(q * dimension);
    const std::vector<Answer> expected = plain_nearest(
        vectors, {begin, begin + static_cast<std::ptrdiff_t>(dimension)}, k, depth, filter);
    for (std::size_t i = 0; i < k; ++i) {
      const std::int32_t row = found.rows[q * k + i];
      if (i >= expected.size()) {
        ASSERT_EQ(row, -1) << what;
        continue;
      }
      ASSERT_EQ(row, static_cast<std::int32_t>(expected[i].row)) << what << ", place " << i;
      ASSERT_EQ(found.distances[q * k + i], expected[i].distance) << what << ", place " << i;
    }
  }
}

TEST(BinarySearcher, AnswersAreThoseOfCodesReadOneByOne) {
  auto random = test::generator(1);
  for (const BinaryCodesShape& shape :
       {BinaryCodesShape{Metric::kL2, 1, 1}, BinaryCodesShape{Metric::kL2, 31, 3},
        BinaryCodesShape{Metric::kCosine, 32, 4}, BinaryCodesShape{Metric::kInnerProduct, 33, 2},
        BinaryCodesShape{Metric::kL2, 20, 4, true, Store::kHalf},
        BinaryCodesShape{Metric::kCosine, 70, 8, true},
        BinaryCodesShape{Metric::kInnerProduct, 129, 5},
        BinaryCodesShape{Metric::kL2, 40, 3, true, Store::kFloat, true},
        BinaryCodesShape{Metric::kCosine, 33, 5, false, Store::kFloat, true},
        BinaryCodesShape{Metric::kInnerProduct, 40, 2, true, Store::kHalf, true},
        BinaryCodesShape{Metric::kCosine, 34, 3, true, Store::kFloat, false, true},
        BinaryCodesShape{Metric::kInnerProduct, 65, 4, false, Store::kFloat, true, true}}) {
    for (const std::size_t rows : {1, 31, 32, 33, 129, 700}) {
      const MadeBinaryCodes made(random, shape, rows);
      RowFilter filter(rows);
      for (std::size_t row = 0; row < rows; row += 1 + random() % 4) filter.add(row);
      const std::vector<float> queries = test::draw_queries(random, 5, shape.dimension);
      for (const std::size_t query_bits : {0, 1, 6}) {
        for (const std::size_t refine : {0, 5, 60}) {
          for (const std::size_t extra : {0, 100}) {
            if (refine == 0 && extra > 0) continue;
            const SearchOptions depth{.refine = refine, .query_bits = query_bits, .extra = extra};
            for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(10, rows), rows}) {
              const std::string what = describe(shape, rows, depth);
              expect_nearest(made.view(), queries, k, depth, nullptr, what);
              expect_nearest(made.view(), queries, k, depth, &filter, what + ", filtered");
              if (HasFatalFailure()) return;
            }
          }
        }
      }
    }
  }
}

TEST(BinarySearcher, RangesAreThoseOfCodes) {
  auto random = test::generator(2);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    const MadeBinaryCodes made(random, {metric, 40, 3}, 700);
    const BinaryVectors vectors = made.view();
    const std::vector<float> query = test::draw(random, 40, 0.5F);
    const std::vector<Answer> all =
        reference::rank_by_codes(vectors, reference::plain_query(vectors, query, 4), nullptr);
    for (const std::size_t place : {0, 1, 99, 699}) {
      const float radius = all[place].distance;
      std::size_t within = place + 1;
      while (within < all.size() && all[within].distance == radius) ++within;
      const RangeNeighbors found = search_on_cpu(vectors)->within(query, radius);
      ASSERT_EQ(found.rows.size(), within);
      for (std::size_t i = 0; i < within; ++i) {
        ASSERT_EQ(found.rows[i], static_cast<std::int32_t>(all[i].row));
        ASSERT_EQ(found.distances[i], all[i].distance);
      }
    }
  }
}

TEST(BinarySearcher, ThreadsAndBatchesDoNotChangeAnswers) {
  auto random = test::generator(3);
  const MadeBinaryCodes made(random, {Metric::kL2, 24, 4}, 30'000);
  const std::vector<float> queries = test::draw(random, 40 * 24, 0.5F);
  const SearchOptions depth{.refine = 50, .query_bits = 5, .extra = 20};
  const Neighbors all = search_on_cpu(made.view(), 1)->nearest(queries, 20, depth);
  EXPECT_EQ(search_on_cpu(made.view(), 3)->nearest(queries, 20, depth).rows, all.rows);
  for (std::size_t q = 0; q < 40; q += 13) {
    const Neighbors one =
        search_on_cpu(made.view(), 3)->nearest(std::span(queries).subspan(q * 24, 24), 20, depth);
    EXPECT_TRUE(std::equal(one.rows.begin(), one.rows.end(), all.rows.begin() + q * 20));
    EXPECT_TRUE(
        std::equal(one.distances.begin(), one.distances.end(), all.distances.begin() + q * 20));
  }
}

/// The error of a product is that of its factors: about scale / 2^bits a component.
TEST(BinarySearcher, DistancesAreNearTheTrueOnesAndAllRefinedAreExact) {
  auto random = test::generator(4);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const bool is_rotated : {false, true}) {
      constexpr std::size_t kRows = 2000;
      constexpr std::size_t kDimension = 64;
      const MadeBinaryCodes made(random, {metric, kDimension, 6, is_rotated}, kRows);
      const std::vector<float> query = test::draw(random, kDimension, 0.5F);
      const auto searcher = search_on_cpu(made.view());
      const Neighbors exact = FlatSearcher(made.view().vectors).nearest(query, kRows);
      const Neighbors refined = searcher->nearest(query, kRows, {.refine = kRows, .query_bits = 6});
      EXPECT_EQ(refined.rows, exact.rows);
      EXPECT_EQ(refined.distances, exact.distances);
      const Neighbors by_codes = searcher->nearest(query, kRows, {.query_bits = 6});
      std::vector<float> true_distances(kRows);
      for (std::size_t i = 0; i < kRows; ++i) {
        true_distances[static_cast<std::size_t>(exact.rows[i])] = exact.distances[i];
      }
      double error = 0;
      for (std::size_t i = 0; i < kRows; ++i) {
        error += std::abs(true_distances[static_cast<std::size_t>(by_codes.rows[i])] -
                          by_codes.distances[i]);
      }
      const double spread = std::abs(exact.distances.front() - exact.distances.back());
      EXPECT_LT(error / kRows, spread * 0.02) << metric_name(metric);
    }
  }
}

TEST(BinarySearcher, ZerosAndBadArguments) {
  const Collection zeros(Metric::kL2, Store::kFloat, 3, std::vector<float>(30));
  BinaryTraining training = train_binary(zeros.vectors, {});
  EXPECT_EQ(training.scale, 1.0F);
  auto random = test::generator(5);
  const MadeBinaryCodes made(random, {Metric::kL2, 8, 2}, 50);
  const auto searcher = search_on_cpu(made.view());
  const std::vector<float> query(8);
  EXPECT_EQ(searcher->nearest(query, 50).rows.size(), 50U);
  EXPECT_THROW(searcher->nearest(query, 0), UsageError);
  EXPECT_THROW(searcher->nearest(query, 51), UsageError);
  EXPECT_THROW(searcher->nearest(query, 1, {.query_bits = 9}), UsageError);
  EXPECT_THROW(searcher->nearest(std::vector<float>(7), 1), UsageError);
  BinaryVectors bare = made.view();
  bare.vectors = {};
  EXPECT_THROW(search_on_cpu(bare)->nearest(query, 1, {.refine = 1}), UsageError);
  EXPECT_EQ(search_on_cpu(bare)->nearest(query, 9).rows, searcher->nearest(query, 9).rows);
  EXPECT_THROW(check_binary({.bits = 0}), UsageError);
  EXPECT_THROW(check_binary({.bits = 9}), UsageError);
  EXPECT_THROW(check_binary({.clip = 1}), UsageError);
}

TEST(BinaryTraining, TheScaleClipsTheShare) {
  auto random = test::generator(6);
  const Collection all(Metric::kInnerProduct, Store::kFloat, 10, test::draw(random, 10'000, 3, 2));
  for (const double clip : {0.0, 0.1, 0.5, 0.999}) {
    const BinaryTraining training = train_binary(all.vectors, {.clip = clip});
    std::size_t above = 0;
    std::size_t not_below = 0;
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      const float size = std::abs(all.rows[i] - training.centre[i % 10]);
      above += size > training.scale ? 1 : 0;
      not_below += size >= training.scale ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(above), clip * 10'000);
    EXPECT_GT(static_cast<double>(not_below), clip * 10'000);
  }
}

TEST(BinaryTraining, TheRotationIsOrthogonalAndDependsOnTheSeed) {
  for (const std::size_t size : {1, 2, 33, 100}) {
    const std::vector<float> rotation = random_rotation(size, 7);
    EXPECT_EQ(rotation, random_rotation(size, 7));
    if (size > 2) {
      EXPECT_NE(rotation, random_rotation(size, 8));
    }
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double product = 0;
        for (std::size_t c = 0; c < size; ++c) {
          product += double{rotation[a * size + c]} * double{rotation[b * size + c]};
        }
        ASSERT_NEAR(product, a == b ? 1 : 0, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
