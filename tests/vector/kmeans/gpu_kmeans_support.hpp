// What tests of k-means on GPUs share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex::vector {

class GpuKmeans : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

inline Matrix<float> draw_points(std::mt19937_64& random, std::size_t rows, std::size_t columns,
                                 float mean = 0) {
  return {rows, columns, test::draw(random, rows * columns, mean, 1)};
}

inline Matrix<float> scaled(Matrix<float> points) {
  for (std::size_t i = 0; i < points.rows; ++i) normalize(points.row(i));
  return points;
}

/// Every point is in the cluster of its nearest centroid, by canonical distances, and the sums add
/// up.
inline void expect_assigned(const Matrix<float>& points, const KmeansResult& result,
                            const std::string& what) {
  ASSERT_EQ(result.clusters.size(), points.rows) << what;
  std::vector<std::uint64_t> sizes(result.centroids.rows);
  double objective = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    std::size_t best = 0;
    float distance = std::numeric_limits<float>::infinity();
    for (std::size_t c = 0; c < result.centroids.rows; ++c) {
      const float other = reference::canonical(points.row(i), result.centroids.row(c), true);
      if (other < distance) {
        distance = other;
        best = c;
      }
    }
    ASSERT_EQ(result.clusters[i], best) << what << ", point " << i;
    ++sizes[best];
    objective += double{distance};
  }
  EXPECT_EQ(result.sizes, sizes) << what;
  EXPECT_NEAR(result.objective, objective, objective * 1e-9) << what;
}

/// Most are equal to others.
inline Matrix<float> draw_few_distinct_points(std::mt19937_64& random) {
  Matrix<float> points{8000, 6, std::vector<float>(8000 * 6)};
  std::uniform_int_distribution<int> few(0, 1);
  for (std::size_t i = 2000 * 6; i < points.values.size(); ++i) {
    points.values[i] = static_cast<float>(few(random));
  }
  return points;
}

/// 30,000 points, of which the first 20,000 lie near together.
inline Matrix<float> draw_with_dense_middle(std::mt19937_64& random) {
  Matrix<float> points = draw_points(random, 30'000, 8);
  for (std::size_t i = 0; i < 20'000 * 8; ++i) points.values[i] *= 0.05F;
  return points;
}

}  // namespace warpdex::vector
