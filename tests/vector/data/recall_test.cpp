// Recall, by hand and against a plain count.
#include "warpdex/vector/data/recall.hpp"

#include <set>

#include "tests/vector/data/files.hpp"

namespace warpdex::vector {
namespace {

using test::complaint;
using ::testing::HasSubstr;

template <class T>
Matrix<T> matrix(std::size_t columns, std::vector<T> values) {
  return {values.size() / columns, columns, std::move(values)};
}

TEST(Recall, ByHand) {
  const auto truth = matrix<std::int32_t>(3, {1, 2, 3, 4, 5, 6});
  const auto result = matrix<std::int32_t>(4, {3, 1, 9, 2, 5, 7, 8, 4});
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 1).intersection, 0);
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 1).nearest, 0);
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 2).intersection, 0.5);  // 1; 5
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 2).nearest, 0.5);
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 3).intersection, (2.0 / 3 + 1.0 / 3) / 2);
}

TEST(Recall, MissingPlacesAndRepeats) {
  const auto truth = matrix<std::int32_t>(2, {1, 2, 3, -1, -1, -1});
  const auto result = matrix<std::int32_t>(2, {1, 1, 3, -1, 7, 8});
  // Half of the first row, all of the second; the third has no truth.
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 2).intersection, 0.75);
  EXPECT_DOUBLE_EQ(recall_at(truth, result, 2).nearest, 1);
  EXPECT_EQ(defects_of(result, 2).rows_with_missing, 1U);
  EXPECT_EQ(defects_of(result, 2).rows_with_repeats, 1U);
  EXPECT_EQ(defects_of(result, 1).rows_with_repeats, 0U);
  const auto none = matrix<std::int32_t>(2, {});
  EXPECT_DOUBLE_EQ(recall_at(none, none, 2).intersection, 1);
}

TEST(Recall, AgreesWithAPlainCount) {
  std::mt19937_64 random = warpdex::test::generator(1);
  for (int round = 0; round < 50; ++round) {
    const std::size_t columns = 1 + random() % 40;
    const std::uint64_t rows = 1 + random() % 20;
    std::vector<std::int32_t> a(rows * columns);
    std::vector<std::int32_t> b(rows * columns);
    for (auto* values : {&a, &b}) {
      for (std::int32_t& id : *values) id = static_cast<std::int32_t>(random() % 60) - 3;
    }
    const std::size_t k = 1 + random() % columns;
    double sum = 0;
    int judged = 0;
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::set<std::int32_t> wanted;
      std::set<std::int32_t> found;
      for (std::size_t i = 0; i < k; ++i) {
        if (a[row * columns + i] >= 0) wanted.insert(a[row * columns + i]);
        found.insert(b[row * columns + i]);
      }
      if (wanted.empty()) continue;
      ++judged;
      double shared = 0;
      for (const std::int32_t id : wanted) shared += static_cast<double>(found.count(id));
      sum += shared / static_cast<double>(wanted.size());
    }
    EXPECT_NEAR(recall_at(matrix(columns, a), matrix(columns, b), k).intersection,
                judged == 0 ? 1 : sum / judged, 1e-12);
  }
}

TEST(Recall, Ties) {
  const auto truth = matrix<std::int32_t>(2, {1, 2});
  const auto truth_distances = matrix<float>(2, {1, 2});
  const auto result = matrix<std::int32_t>(3, {1, 7, 8});
  const auto recall = [&](const Matrix<float>& distances, std::size_t k, const TieRule& rule) {
    return recall_with_ties(truth, truth_distances, result, distances, k, rule);
  };
  // 7 is as far as 2, which it stands for.
  EXPECT_DOUBLE_EQ(recall(matrix<float>(3, {1, 2, 2}), 2, {}), 1);
  EXPECT_DOUBLE_EQ(recall(matrix<float>(3, {1, 2.0019F, 3}), 2, {}), 1);
  EXPECT_DOUBLE_EQ(recall(matrix<float>(3, {1, 2.0021F, 3}), 2, {}), 0.5);
  EXPECT_DOUBLE_EQ(recall(matrix<float>(3, {1, 2.0019F, 3}), 2, {Metric::kL2, 0}), 0.5);
  EXPECT_DOUBLE_EQ(recall(matrix<float>(3, {1, 3, 3}), 1, {}), 1);
  // Larger inner products are nearer; distances below 0 have their slack on the far side too.
  const auto products = matrix<float>(2, {5, -2});
  const auto by_product = [&](float second) {
    return recall_with_ties(truth, products, result, matrix<float>(3, {5, second, -9}), 2,
                            {Metric::kInnerProduct, 1e-3});
  };
  EXPECT_DOUBLE_EQ(by_product(-2.0019F), 1);
  EXPECT_DOUBLE_EQ(by_product(-2.0021F), 0.5);
  EXPECT_DOUBLE_EQ(by_product(4), 1);
}

TEST(Recall, TiesCountNoNeighborTwiceAndNoMissingOne) {
  const auto truth = matrix<std::int32_t>(2, {1, 2});
  const auto distances = matrix<float>(2, {1, 1});
  EXPECT_DOUBLE_EQ(
      recall_with_ties(truth, distances, matrix<std::int32_t>(2, {7, 7}), distances, 2, {}), 0.5);
  EXPECT_DOUBLE_EQ(
      recall_with_ties(truth, distances, matrix<std::int32_t>(2, {-1, 7}), distances, 2, {}), 0.5);
  const auto short_truth = matrix<std::int32_t>(2, {1, -1});
  const auto padded = matrix<float>(2, {1, INFINITY});
  EXPECT_DOUBLE_EQ(
      recall_with_ties(short_truth, padded, matrix<std::int32_t>(2, {7, 8}), distances, 2, {}), 1);
}

TEST(Recall, RefusesFilesThatDoNotBelongTogether) {
  const auto two_rows = matrix<std::int32_t>(1, {1, 2});
  const auto one_row = matrix<std::int32_t>(2, {1, 2});
  EXPECT_THAT(complaint<InputError>([&] { recall_at(two_rows, one_row, 1); }),
              HasSubstr("2 rows and the other 1"));
  EXPECT_THAT(complaint<InputError>([&] { recall_at(one_row, one_row, 3); }),
              HasSubstr("has 2 neighbours"));
  EXPECT_THROW(recall_at(one_row, one_row, 0), InputError);
}

}  // namespace
}  // namespace warpdex::vector
