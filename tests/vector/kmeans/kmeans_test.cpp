// Tests of k-means: against Lloyd's iterations written plainly in double precision, and what must
// hold of any result.
#include "warpdex/vector/kmeans/kmeans.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {
namespace {

Matrix<float> draw(std::mt19937_64& random, std::size_t rows, std::size_t columns, float mean = 0) {
  std::normal_distribution<float> normal(mean, 1);
  Matrix<float> points{rows, columns, std::vector<float>(rows * columns)};
  for (float& value : points.values) value = normal(random);
  return points;
}

/// `blobs` places, far apart, with as many points each as `sizes` says.
Matrix<float> draw_blobs(std::mt19937_64& random, const std::vector<std::size_t>& sizes,
                         std::size_t columns) {
  std::normal_distribution<float> normal;
  Matrix<float> points{0, columns, {}};
  for (const std::size_t size : sizes) {
    std::vector<float> place(columns);
    for (float& value : place) value = 50 * normal(random);
    for (std::size_t i = 0; i < size; ++i) {
      for (const float value : place) points.values.push_back(value + normal(random));
      ++points.rows;
    }
  }
  return points;
}

double squared_distance(std::span<const float> a, const double* b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (double{a[c]} - b[c]) * (double{a[c]} - b[c]);
  return sum;
}

struct Nearest {
  std::size_t cluster;
  double distance;
  double second;  ///< distance of the next one
};

Nearest nearest(std::span<const float> point, const std::vector<double>& centroids) {
  Nearest found{0, reference::kInfinity, reference::kInfinity};
  for (std::size_t i = 0; i * point.size() < centroids.size(); ++i) {
    const double distance = squared_distance(point, centroids.data() + i * point.size());
    if (distance < found.distance) {
      found = {i, distance, found.distance};
    } else {
      found.second = std::min(found.second, distance);
    }
  }
  return found;
}

std::vector<double> as_doubles(const Matrix<float>& matrix) {
  return {matrix.values.begin(), matrix.values.end()};
}

/// Lloyd's iterations from these centroids; returns the objective in the end.
double lloyd(const Matrix<float>& points, std::vector<double> centroids, std::size_t iterations) {
  const std::size_t columns = points.columns;
  const std::size_t count = centroids.size() / columns;
  double objective = 0;
  for (std::size_t iteration = 0; iteration <= iterations; ++iteration) {
    std::vector<double> sums(centroids.size());
    std::vector<double> sizes(count);
    objective = 0;
    for (std::size_t i = 0; i < points.rows; ++i) {
      const Nearest found = nearest(points.row(i), centroids);
      objective += found.distance;
      sizes[found.cluster] += 1;
      for (std::size_t c = 0; c < columns; ++c) {
        sums[found.cluster * columns + c] += double{points.row(i)[c]};
      }
    }
    for (std::size_t i = 0; i < centroids.size(); ++i) {
      if (sizes[i / columns] > 0) centroids[i] = sums[i] / sizes[i / columns];
    }
  }
  return objective;
}

TEST(Kmeans, ComesToWhatLloydsIterationsComeTo) {
  auto random = test::generator(1);
  for (const auto& [rows, columns, clusters, mean] : {std::tuple{1000, 3, 5, 0.0F},
                                                      {2000, 8, 33, 0.0F},
                                                      {1500, 100, 7, 3000.0F},
                                                      {3000, 16, 1, 0.0F}}) {
    KmeansSettings settings;
    settings.clusters = clusters;
    settings.iterations = 12;
    std::size_t repaired = 1;
    settings.on_iteration = [&](const KmeansIteration& told) { repaired += told.repaired; };
    Matrix<float> points;
    KmeansResult result;
    for (int attempt = 0; attempt < 20 && repaired > 0; ++attempt) {
      points = draw(random, rows, columns, mean);
      repaired = 0;
      result = kmeans(points, settings);
    }
    ASSERT_EQ(repaired, 0U) << "the plain iterations repair nothing";
    std::vector<double> first;
    for (const std::uint64_t row : sample_rows(points.rows, settings.clusters, settings.seed)) {
      first.insert(first.end(), points.row(row).begin(), points.row(row).end());
    }
    const double expected = lloyd(points, first, settings.iterations);
    EXPECT_NEAR(result.objective, expected, expected * 1e-3)
        << rows << " x " << columns << ", " << clusters << " clusters";
  }
}

TEST(Kmeans, EveryPointHasItsNearestCentroidAndTheSumsAreRight) {
  auto random = test::generator(2);
  for (const std::size_t rows : {1, 2, 31, 32, 33, 127, 128, 129, 2000}) {
    for (const std::size_t columns : {1, 5, 33}) {
      const Matrix<float> points = draw(random, rows, columns, 10);
      KmeansSettings settings;
      settings.clusters = std::min<std::size_t>(rows, 1 + rows / 20);
      settings.iterations = 3;
      const KmeansResult result = kmeans(points, settings);
      ASSERT_EQ(result.centroids.rows, settings.clusters);
      ASSERT_EQ(result.clusters.size(), rows);
      const std::vector<double> centroids = as_doubles(result.centroids);
      double objective = 0;
      std::vector<std::uint64_t> sizes(settings.clusters);
      for (std::size_t i = 0; i < rows; ++i) {
        const Nearest found = nearest(points.row(i), centroids);
        const double own =
            squared_distance(points.row(i), centroids.data() + result.clusters[i] * columns);
        EXPECT_LE(own, found.distance + 1e-3 * (1 + found.distance));
        objective += own;
        ++sizes[result.clusters[i]];
      }
      EXPECT_NEAR(result.objective, objective, 1e-4 * objective + 1e-3);
      EXPECT_EQ(result.sizes, sizes);
    }
  }
}

TEST(Kmeans, DoesNotDependOnThreadsButOnTheSeed) {
  auto random = test::generator(3);
  const Matrix<float> points = draw(random, 5000, 20);
  KmeansSettings settings;
  settings.clusters = 50;
  settings.iterations = 5;
  settings.threads = 1;
  const KmeansResult one = kmeans(points, settings);
  settings.threads = 7;
  const KmeansResult seven = kmeans(points, settings);
  EXPECT_EQ(one.centroids.values, seven.centroids.values);
  EXPECT_EQ(one.clusters, seven.clusters);
  EXPECT_EQ(one.objective, seven.objective);
  settings.seed = 2;
  EXPECT_NE(kmeans(points, settings).centroids.values, one.centroids.values);
}

TEST(Kmeans, TheObjectiveFallsAndIsTold) {
  auto random = test::generator(4);
  const Matrix<float> points = draw(random, 4000, 8);
  KmeansSettings settings;
  settings.clusters = 20;
  settings.iterations = 15;
  std::vector<KmeansIteration> told;
  settings.on_iteration = [&](const KmeansIteration& one) { told.push_back(one); };
  const KmeansResult result = kmeans(points, settings);
  ASSERT_EQ(told.size(), result.iterations);
  told.push_back({told.size() + 1, result.objective, 0, 0});
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_EQ(told[i].number, i + 1);
    // A repair gives up what its cluster had.
    if (told[i - 1].repaired > 0) continue;
    EXPECT_LE(told[i].objective, told[i - 1].objective * (1 + 1e-6));
  }
  EXPECT_LT(result.objective, told[0].objective * 0.95);
}

TEST(Kmeans, EmptyAndTinyClustersAreRepaired) {
  auto random = test::generator(5);
  // Nearly all first centroids are drawn from the first blob: the others would share a few.
  const Matrix<float> points = draw_blobs(random, {3000, 40, 40, 40, 40, 40}, 6);
  KmeansSettings settings;
  settings.clusters = 30;
  settings.iterations = 20;
  const KmeansResult result = kmeans(points, settings);
  for (const std::uint64_t size : result.sizes) EXPECT_GT(size, 0U);
  // 100 points in two places: clusters cannot all have points of their own, and nothing breaks.
  Matrix<float> two{100, 2, std::vector<float>(200)};
  for (std::size_t i = 100; i < 200; ++i) two.values[i] = 1;
  settings.clusters = 5;
  const KmeansResult few = kmeans(two, settings);
  EXPECT_NEAR(few.objective, 0, 1e-6);
  EXPECT_EQ(std::accumulate(few.sizes.begin(), few.sizes.end(), std::uint64_t{0}), 100U);
}

TEST(Kmeans, SphericalCentroidsHaveLengthOneAndOnlyDirectionsCount) {
  auto random = test::generator(6);
  Matrix<float> points = draw(random, 1000, 10);
  KmeansSettings settings;
  settings.clusters = 12;
  settings.is_spherical = true;
  const KmeansResult result = kmeans(points, settings);
  for (std::size_t i = 0; i < 12; ++i) {
    double length = 0;
    for (const float value : result.centroids.row(i)) length += double{value} * double{value};
    EXPECT_NEAR(length, 1, 1e-6);
  }
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    points.values[i] *= static_cast<float>(std::size_t{1} << (i / 10 % 5));  // powers of two
  }
  EXPECT_EQ(kmeans(points, settings).clusters, result.clusters);
}

TEST(Kmeans, BalancedClustersAreOfAboutOneSize) {
  auto random = test::generator(7);
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < 20; ++i) sizes.push_back(20 + i * i * 5);
  Matrix<float> points = draw_blobs(random, sizes, 8);
  std::normal_distribution<float> normal(0, 30);  // blobs that overlap, as real ones do
  for (float& value : points.values) value += normal(random);
  KmeansSettings settings;
  settings.clusters = 20;
  settings.iterations = 60;
  const auto largest = [&] {
    const KmeansResult result = kmeans(points, settings);
    const auto size =
        static_cast<double>(*std::max_element(result.sizes.begin(), result.sizes.end()));
    return size * 20 / static_cast<double>(points.rows);
  };
  const double plain = largest();
  settings.is_balanced = true;
  const double balanced = largest();
  EXPECT_LT(balanced, 2) << "of the mean size; without balancing " << plain;
  EXPECT_LT(balanced, plain);
}

TEST(Kmeans, RefusesWhatItCannotDo) {
  const Matrix<float> points{3, 1, {1, 2, 3}};
  KmeansSettings settings;
  EXPECT_THROW(kmeans(points, settings), UsageError);
  settings.clusters = 4;
  try {
    kmeans(points, settings);
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("1 to 3 clusters, not 4"));
  }
  settings.clusters = 3;
  settings.iterations = 0;
  EXPECT_THROW(kmeans(points, settings), UsageError);
  settings.iterations = 1;
  const Matrix<float> none{0, 1, {}};
  EXPECT_THROW(kmeans(none, settings), UsageError);
  Matrix<float> huge{4, 2, {1e30F, 0, -1e30F, 0, 0, 1e30F, 0, 0}};
  settings.clusters = 2;
  settings.is_balanced = true;
  EXPECT_THROW(kmeans(huge, settings), InputError);
  settings.is_balanced = false;
  settings.clusters = 3;
  settings.on_iteration = [](const KmeansIteration&) { throw IoError("ended"); };
  EXPECT_THROW(kmeans(points, settings), IoError);
}

TEST(Kmeans, SamplesAreAscendingAndEachRowIsAsLikely) {
  EXPECT_THAT(sample_rows(4, 9, 1), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sample_rows(4, 0, 1), testing::IsEmpty());
  // Few rows of many are drawn in another way than many of few.
  for (const std::size_t total : {20, 200}) {
    std::vector<int> drawn(total);
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      const std::vector<std::uint64_t> rows = sample_rows(total, 5, seed);
      ASSERT_EQ(rows.size(), 5U);
      ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      ASSERT_EQ(std::set<std::uint64_t>(rows.begin(), rows.end()).size(), 5U);
      for (const std::uint64_t row : rows) ++drawn.at(row);
    }
    const double mean = 4000.0 * 5 / static_cast<double>(total);
    for (const int count : drawn) EXPECT_NEAR(count, mean, 6 * std::sqrt(mean));
  }
}

TEST(Kmeans, PointsHaveTheNearestCentroidsOfTheCanonicalOrder) {
  auto random = test::generator(20);
  // Far from the origin, and on a coarse grid, many centroids are as near as makes no difference.
  std::uniform_int_distribution<int> few(0, 2);
  for (const std::size_t columns : {1, 5, 31, 33, 96}) {
    for (const float mean : {0.0F, 1e3F}) {
      for (const bool is_grid : {false, true}) {
        Matrix<float> points = draw(random, 1500, columns, mean);
        for (float& value : points.values) {
          if (is_grid) value = mean + 0.1F * static_cast<float>(few(random));
        }
        for (const std::size_t clusters : {1, 2, 31, 33, 300}) {
          KmeansSettings settings;
          settings.clusters = clusters;
          settings.iterations = 3;
          const KmeansResult result = kmeans(points, settings);
          double objective = 0;
          for (std::size_t i = 0; i < points.rows; ++i) {
            std::uint32_t best = 0;
            float smallest = std::numeric_limits<float>::infinity();
            for (std::uint32_t c = 0; c < clusters; ++c) {
              const float distance =
                  reference::canonical(points.row(i), result.centroids.row(c), true);
              if (distance < smallest) {
                smallest = distance;
                best = c;
              }
            }
            objective += double{smallest};
            ASSERT_EQ(result.clusters[i], best)
                << columns << " columns, mean " << mean << ", " << clusters << " clusters, " << i;
          }
          EXPECT_NEAR(result.objective, objective, 1e-9 * objective);
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
