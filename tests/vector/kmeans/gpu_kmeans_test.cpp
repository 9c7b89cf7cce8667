// Tests of k-means on a GPU: every point has the centroid that a plain search finds, iterations are
// those of the CPU, and what must hold of any result.
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

class GpuKmeans : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

Resources& resources() {
  static Resources shared;
  return shared;
}

Matrix<float> draw_points(std::mt19937_64& random, std::size_t rows, std::size_t columns,
                          float mean = 0) {
  return {rows, columns, test::draw(random, rows * columns, mean, 1)};
}

Matrix<float> scaled(Matrix<float> points) {
  for (std::size_t i = 0; i < points.rows; ++i) normalize(points.row(i));
  return points;
}

/// Every point is in the cluster of its nearest centroid, by canonical distances, and the sums add
/// up.
void expect_assigned(const Matrix<float>& points, const KmeansResult& result,
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

TEST_F(GpuKmeans, PointsHaveTheirNearestCentroids) {
  auto random = test::generator(1);
  for (const std::size_t columns : {1, 3, 32, 33, 128, 300}) {
    for (const std::size_t rows : {1, 2, 31, 127, 128, 129, 3000}) {
      const Matrix<float> points = draw_points(random, rows, columns, 2);
      for (const std::size_t clusters : {std::size_t{1}, std::size_t{2}, std::size_t{129}, rows}) {
        if (clusters > rows || clusters * rows > 400'000) continue;
        KmeansSettings settings;
        settings.clusters = clusters;
        settings.iterations = 3;
        expect_assigned(points, kmeans_on_gpu(points, settings, resources()),
                        describe(Metric::kL2, Store::kFloat, columns, rows) + ", clusters " +
                            std::to_string(clusters));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(GpuKmeans, MovesAsTheCpu) {
  auto random = test::generator(2);
  const Matrix<float> points = draw_points(random, 20'000, 24, 100);
  for (const bool is_spherical : {false, true}) {
    for (const bool is_balanced : {false, true}) {
      KmeansSettings settings;
      settings.clusters = 150;
      settings.iterations = 10;
      settings.is_spherical = is_spherical;
      settings.is_balanced = is_balanced;
      std::vector<double> objectives;
      settings.on_iteration = [&](const KmeansIteration& told) {
        objectives.push_back(told.objective);
      };
      const KmeansResult found = kmeans_on_gpu(points, settings, resources());
      const std::vector<double> own = objectives;
      objectives.clear();
      const KmeansResult expected = kmeans(points, settings);
      // Near ties may go another way, and a little more with each iteration.
      ASSERT_EQ(own.size(), objectives.size());
      EXPECT_NEAR(own[0], objectives[0], objectives[0] * 1e-4);
      EXPECT_NEAR(found.objective, expected.objective, expected.objective * 1e-3);
      const Matrix<float> compared = is_spherical ? scaled(points) : points;
      expect_assigned(compared, found, is_spherical ? "spherical" : "plain");
      if (is_spherical) {
        for (std::size_t c = 0; c < found.centroids.rows; ++c) {
          EXPECT_NEAR(row_norm(Metric::kCosine, found.centroids.row(c), {}), 1, 1e-6);
        }
      }
    }
  }
}

TEST_F(GpuKmeans, CentroidsAreMeansOfTheirPoints) {
  auto random = test::generator(3);
  const Matrix<float> points = draw_points(random, 5000, 40);
  KmeansSettings settings;
  settings.clusters = 30;
  settings.iterations = 200;
  const KmeansResult found = kmeans_on_gpu(points, settings, resources());
  ASSERT_LT(found.iterations, 200U);  // it came to rest
  for (std::size_t c = 0; c < settings.clusters; ++c) {
    std::vector<double> sums(points.columns);
    for (std::size_t i = 0; i < points.rows; ++i) {
      if (found.clusters[i] != c) continue;
      for (std::size_t d = 0; d < points.columns; ++d) sums[d] += double{points.row(i)[d]};
    }
    for (std::size_t d = 0; d < points.columns; ++d) {
      EXPECT_FLOAT_EQ(found.centroids.row(c)[d],
                      static_cast<float>(sums[d] / static_cast<double>(found.sizes[c])));
    }
  }
}

TEST_F(GpuKmeans, EmptyClustersAreRepaired) {
  // Few distinct points: most of the first centroids are equal.
  auto random = test::generator(4);
  Matrix<float> points{8000, 6, std::vector<float>(8000 * 6)};
  std::uniform_int_distribution<int> few(0, 1);
  for (std::size_t i = 2000 * 6; i < points.values.size(); ++i) {
    points.values[i] = static_cast<float>(few(random));
  }
  KmeansSettings settings;
  settings.clusters = 300;
  settings.iterations = 8;
  std::size_t repaired = 0;
  settings.on_iteration = [&](const KmeansIteration& told) { repaired += told.repaired; };
  const KmeansResult found = kmeans_on_gpu(points, settings, resources());
  EXPECT_GT(repaired, 0U);
  expect_assigned(points, found, "few distinct points");
}

TEST_F(GpuKmeans, BalancedClustersAreOfEvenSizes) {
  auto random = test::generator(5);
  Matrix<float> points = draw_points(random, 30'000, 8);
  for (std::size_t i = 0; i < 20'000 * 8; ++i) points.values[i] *= 0.05F;  // a dense middle
  KmeansSettings settings;
  settings.clusters = 100;
  settings.is_balanced = true;
  std::size_t largest = 0;
  settings.on_iteration = [&](const KmeansIteration& told) { largest = told.largest; };
  expect_assigned(points, kmeans_on_gpu(points, settings, resources()), "balanced");
  EXPECT_LE(largest, 330U);
}

TEST_F(GpuKmeans, TheSameEveryTime) {
  auto random = test::generator(6);
  const Matrix<float> points = draw_points(random, 50'000, 96);
  KmeansSettings settings;
  settings.clusters = 500;
  settings.iterations = 5;
  const KmeansResult first = kmeans_on_gpu(points, settings, resources());
  const KmeansResult second = kmeans_on_gpu(points, settings, resources());
  EXPECT_EQ(first.centroids.values, second.centroids.values);
  EXPECT_EQ(first.clusters, second.clusters);
  const Stream stream;
  DeviceArray<float> on_gpu(points.values.size());
  on_gpu.upload(points.values, stream);
  stream.synchronize();
  const KmeansResult third =
      kmeans_on_gpu(on_gpu.data(), points.rows, points.columns, settings, resources());
  EXPECT_EQ(first.centroids.values, third.centroids.values);
}

TEST_F(GpuKmeans, RefusesWhatItCannotDo) {
  auto random = test::generator(7);
  Matrix<float> points = draw_points(random, 100, 4);
  KmeansSettings settings;
  EXPECT_THROW(kmeans_on_gpu(points, settings, resources()), UsageError);
  settings.clusters = 101;
  EXPECT_THROW(kmeans_on_gpu(points, settings, resources()), UsageError);
  settings.clusters = 10;
  Resources little({.device = 0, .memory = 1 << 16, .host_memory = 0});
  EXPECT_THROW(kmeans_on_gpu(points, settings, little), Error);
  points.values[7] = 0x1p70F;
  EXPECT_THROW(kmeans_on_gpu(points, settings, resources()), InputError);
}

}  // namespace
}  // namespace warpdex::vector
