// Tests of trained rotations: their rows, and what codes lose, in double precision.
#include "pq/rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "pq/train.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"

namespace warpdex::vector {
namespace {

/// Of rows and columns, whether the rows are of length 1 and orthogonal.
void expect_orthogonal(const std::vector<float>& rotation, std::size_t rows,
                       std::size_t dimension) {
  ASSERT_EQ(rotation.size(), rows * dimension);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      double product = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        product += double{rotation[i * dimension + c]} * double{rotation[j * dimension + c]};
      }
      ASSERT_NEAR(product, i == j ? 1 : 0, 1e-5);
    }
  }
}

TEST(PqRotation, IsOrthogonalAndTheSameForAnyThreads) {
  auto random = test::generator(7);
  // One component, fewer points than components, equal points, and many; to fewer components, too.
  for (const auto& [rows, columns, to, bytes, bits] : {std::tuple{50, 1, 1, 1, 8},
                                                       {3, 20, 20, 4, 8},
                                                       {400, 7, 7, 4, 4},
                                                       {3000, 24, 24, 3, 8},
                                                       std::tuple{50, 2, 1, 1, 8},
                                                       {3, 20, 8, 4, 8},
                                                       {400, 7, 5, 3, 4},
                                                       {3000, 24, 9, 3, 8},
                                                       std::tuple{300, 24, 23, 23, 8}}) {
    const auto dimension = static_cast<std::size_t>(columns);
    Matrix<float> points{static_cast<std::size_t>(rows), dimension, {}};
    points.values = test::draw(random, points.rows * dimension);
    if (rows == 400) std::fill(points.values.begin(), points.values.end(), 2.0F);
    PqTraining training{.bytes = static_cast<std::size_t>(bytes),
                        .bits = static_cast<std::size_t>(bits)};
    const auto rotated = static_cast<std::size_t>(to);
    const std::vector<float> rotation = train_rotation(points, training, rotated);
    expect_orthogonal(rotation, rotated, dimension);
    training.threads = 3;
    EXPECT_EQ(train_rotation(points, training, rotated), rotation);
  }
}

/// The mean squared distance of points and what is left of them: rotated, encoded by codebooks that
/// are trained for it, decoded and rotated back. Without a rotation only encoded.
double error_after(const Matrix<float>& points, const PqTraining& training,
                   const std::vector<float>& rotation) {
  ProductQuantizer quantizer{points.columns, training.bytes, training.bits, {}, rotation};
  Matrix<float> rotated;
  rotate_points(quantizer, points, 1, rotated);
  const std::vector<float> codebooks = train_codebooks(rotated, training);
  quantizer.codebooks = codebooks;
  std::vector<std::uint8_t> code(training.bytes);
  std::vector<float> decoded(rotated.columns);
  double sum = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    encode(quantizer, rotated.row(i).data(), code.data());
    decode(quantizer, code.data(), decoded.data());
    for (std::size_t c = 0; c < points.columns; ++c) {
      double back = rotation.empty() ? double{decoded[c]} : 0;
      for (std::size_t row = 0; row * points.columns < rotation.size(); ++row) {
        back += double{decoded[row]} * double{rotation[row * points.columns + c]};
      }
      sum += std::pow(points.row(i)[c] - back, 2);
    }
  }
  return sum / static_cast<double>(points.rows);
}

TEST(PqRotation, LosesLessWhereRunsHaveMuchInCommon) {
  auto random = test::generator(8);
  // 12 components that are mixtures of 4: each run of 3 has to tell all 4 apart.
  const std::vector<float> mixture = test::draw(random, 48);
  Matrix<float> points{4000, 12, {}};
  for (std::size_t i = 0; i < points.rows; ++i) {
    const std::vector<float> hidden = test::draw(random, 4);
    for (std::size_t c = 0; c < 12; ++c) {
      float sum = 0;
      for (std::size_t h = 0; h < 4; ++h) sum += hidden[h] * mixture[h * 12 + c];
      points.values.push_back(sum);
    }
  }
  const PqTraining training{.bytes = 4};
  const double before = error_after(points, training, {});
  const double after = error_after(points, training, train_rotation(points, training, 12));
  EXPECT_LT(after, 0.8 * before);  // 0.6 of it for some mixtures, most often less than half
}

/// Points with these standard deviations along the rows of a random orthogonal matrix.
Matrix<float> draw_along(std::mt19937_64& random, std::size_t rows,
                         const std::vector<float>& deviations, std::vector<float>& axes) {
  const std::size_t d = deviations.size();
  const Matrix<float> drawn{200, d, test::draw(random, 200 * d)};
  axes = train_rotation(drawn, {.bytes = 2}, d);
  Matrix<float> points{rows, d, std::vector<float>(rows * d)};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<float> along = test::draw(random, d);
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t c = 0; c < d; ++c) {
        points.values[i * d + c] += along[a] * deviations[a] * axes[a * d + c];
      }
    }
  }
  return points;
}

TEST(PqRotation, PrincipalRowsAreTheLongestAxesDealtOutEvenly) {
  auto random = test::generator(9);
  std::vector<float> axes;
  const Matrix<float> points = draw_along(random, 20'000, {1, 4, 0.5F, 2, 8, 0.1F, 16}, axes);
  const std::vector<float> rows = principal_rows(points, {.bytes = 2}, 4);
  expect_orthogonal(rows, 4, 7);
  // Variances 256 and 4 have one run, 64 and 16 the other: the products are the same.
  const std::size_t expected[] = {6, 3, 4, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    double product = 0;
    for (std::size_t c = 0; c < 7; ++c) {
      product += double{rows[i * 7 + c]} * double{axes[expected[i] * 7 + c]};
    }
    EXPECT_NEAR(std::abs(product), 1, 0.01) << i;
  }
}

TEST(PqRotation, ToFewerComponentsLosesNoMoreThanPrincipalRows) {
  auto random = test::generator(10);
  for (const auto& [bytes, bits, to] : {std::tuple{2, 8, 6}, {3, 4, 8}, {4, 8, 4}}) {
    const PqTraining training{.bytes = static_cast<std::size_t>(bytes),
                              .bits = static_cast<std::size_t>(bits)};
    const auto rows = static_cast<std::size_t>(to);
    // Of several collections together: codebooks are trained anew for each, to a minimum that may
    // be some percent from the best one.
    double trained = 0;
    double principal = 0;
    for (int collection = 0; collection < 6; ++collection) {
      std::vector<float> axes;
      const Matrix<float> points =
          draw_along(random, 3000, {1, 4, 0.5F, 2, 8, 0.1F, 3, 6, 0.2F, 5}, axes);
      const double own = error_after(points, training, train_rotation(points, training, rows));
      trained += own;
      principal += error_after(points, training, principal_rows(points, training, rows));
      // Components in their order, the first ones only.
      std::vector<float> first(rows * 10);
      for (std::size_t i = 0; i < rows; ++i) first[i * 10 + i] = 1;
      EXPECT_LT(own, 0.8 * error_after(points, training, first));
    }
    EXPECT_LT(trained, 1.02 * principal) << bytes << " bytes of " << bits << " bits to " << to;
  }
}

}  // namespace
}  // namespace warpdex::vector
