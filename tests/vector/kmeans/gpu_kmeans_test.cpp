// Tests of k-means on a GPU: every point has the centroid that a plain search finds, iterations are
// those of the CPU, and what must hold of any result.
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/kmeans/gpu_kmeans_support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

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
  // Most of the first centroids are equal.
  auto random = test::generator(4);
  const Matrix<float> points = draw_few_distinct_points(random);
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
  const Matrix<float> points = draw_with_dense_middle(random);
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
