// Tests of k-means on several GPUs. One GPU that is given several times stands for them.
#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>
#include <typeinfo>

#include "tests/support.hpp"
#include "tests/vector/kmeans/gpu_kmeans_support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMemory = std::size_t{512} << 20;

/// The first GPU several times, each with an account of its own.
class Gpus {
 public:
  explicit Gpus(std::size_t count, std::size_t memory_of_last = kMemory) {
    for (std::size_t i = 0; i < count; ++i) {
      owned_.push_back(std::make_unique<Resources>(ResourceSettings{
          .device = 0, .memory = i + 1 < count ? kMemory : memory_of_last, .host_memory = 0}));
      all_.push_back(owned_.back().get());
    }
  }
  std::span<Resources* const> all() const { return all_; }
  Resources& first() const { return *all_[0]; }
  std::size_t used() const {
    std::size_t bytes = 0;
    for (Resources* const one : all_) bytes += one->memory().used();
    return bytes;
  }

 private:
  std::vector<std::unique_ptr<Resources>> owned_;
  std::vector<Resources*> all_;
};

class GpuKmeansReplicas : public GpuKmeans {};

std::string describe_run(const Matrix<float>& points, const KmeansSettings& settings,
                         std::size_t gpus) {
  return describe(Metric::kL2, Store::kFloat, points.columns, points.rows) + ", clusters " +
         std::to_string(settings.clusters) + (settings.is_spherical ? ", spherical" : "") +
         (settings.is_balanced ? ", balanced" : "") + ", GPUs " + std::to_string(gpus);
}

/// All four kinds of k-means.
std::vector<KmeansSettings> kinds(std::size_t clusters, std::size_t iterations) {
  std::vector<KmeansSettings> all;
  for (const bool is_spherical : {false, true}) {
    for (const bool is_balanced : {false, true}) {
      all.push_back({.clusters = clusters,
                     .iterations = iterations,
                     .is_spherical = is_spherical,
                     .is_balanced = is_balanced,
                     .on_iteration = {}});
    }
  }
  return all;
}

TEST_F(GpuKmeansReplicas, PointsHaveTheirNearestCentroids) {
  auto random = test::generator(1);
  for (const std::size_t count : {2, 3}) {
    const Gpus gpus(count);
    for (const std::size_t columns : {1, 33, 128}) {
      for (const std::size_t rows : {1, 2, 3, 130, 3000}) {
        const Matrix<float> points = draw_points(random, rows, columns, 2);
        for (const std::size_t clusters : {std::size_t{1}, std::size_t{129}, rows}) {
          if (clusters > rows || clusters * rows > 400'000) continue;
          for (const KmeansSettings& settings : kinds(clusters, 3)) {
            expect_assigned(settings.is_spherical ? scaled(points) : points,
                            kmeans_on_gpus(points, settings, gpus.all()),
                            describe_run(points, settings, count));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST_F(GpuKmeansReplicas, MovesAsOneGpu) {
  auto random = test::generator(2);
  const Matrix<float> points = draw_points(random, 20'011, 24, 100);
  for (const std::size_t count : {2, 3}) {
    const Gpus gpus(count);
    for (KmeansSettings settings : kinds(150, 10)) {
      const std::string what = describe_run(points, settings, count);
      std::vector<double> objectives;
      settings.on_iteration = [&](const KmeansIteration& told) {
        EXPECT_EQ(told.number, objectives.size() + 1);
        objectives.push_back(told.objective);
      };
      const KmeansResult found = kmeans_on_gpus(points, settings, gpus.all());
      const std::vector<double> own = objectives;
      objectives.clear();
      const KmeansResult expected = kmeans_on_gpu(points, settings, gpus.first());
      ASSERT_EQ(own.size(), objectives.size()) << what;
      // From the same centroids. Balancing within shares moves other points.
      const double first_share = settings.is_balanced ? 1e-2 : 1e-4;
      const double last_share = settings.is_balanced ? 5e-3 : 1e-3;
      EXPECT_NEAR(own[0], objectives[0], objectives[0] * first_share) << what;
      EXPECT_NEAR(found.objective, expected.objective, expected.objective * last_share) << what;
      expect_assigned(settings.is_spherical ? scaled(points) : points, found, what);
      for (std::size_t c = 0; settings.is_spherical && c < found.centroids.rows; ++c) {
        EXPECT_NEAR(row_norm(Metric::kCosine, found.centroids.row(c), {}), 1, 1e-6) << what;
      }
    }
  }
}

TEST_F(GpuKmeansReplicas, CentroidsAreMeansOfTheirPoints) {
  auto random = test::generator(3);
  const Matrix<float> points = draw_points(random, 5000, 40);
  const KmeansSettings settings{.clusters = 30, .iterations = 200, .on_iteration = {}};
  const KmeansResult found = kmeans_on_gpus(points, settings, Gpus(3).all());
  ASSERT_LT(found.iterations, 200U);  // it came to rest
  Matrix<double> sums{30, 40, std::vector<double>(30 * 40)};
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t d = 0; d < 40; ++d) {
      sums.row(found.clusters[i])[d] += double{points.row(i)[d]};
    }
  }
  for (std::size_t c = 0; c < 30; ++c) {
    for (std::size_t d = 0; d < 40; ++d) {
      const double mean = sums.row(c)[d] / static_cast<double>(found.sizes[c]);
      EXPECT_NEAR(double{found.centroids.row(c)[d]}, mean, 1e-6);
    }
  }
}

TEST_F(GpuKmeansReplicas, TheSameEveryTime) {
  auto random = test::generator(4);
  const Matrix<float> points = draw_points(random, 50'000, 96);
  const Gpus gpus(3);
  for (const KmeansSettings& settings : kinds(500, 4)) {
    const std::string what = describe_run(points, settings, 3);
    const KmeansResult first = kmeans_on_gpus(points, settings, gpus.all());
    const KmeansResult second = kmeans_on_gpus(points, settings, gpus.all());
    EXPECT_EQ(first.centroids.values, second.centroids.values) << what;
    EXPECT_EQ(first.clusters, second.clusters) << what;
    EXPECT_EQ(first.objective, second.objective) << what;
    const KmeansResult one = kmeans_on_gpu(points, settings, gpus.first());
    const KmeansResult alone = kmeans_on_gpus(points, settings, gpus.all().first(1));
    EXPECT_EQ(one.centroids.values, alone.centroids.values) << what;
    EXPECT_EQ(one.objective, alone.objective) << what;
  }
}

TEST_F(GpuKmeansReplicas, EmptyClustersAreRepaired) {
  auto random = test::generator(5);
  const Matrix<float> points = draw_few_distinct_points(random);
  for (const bool is_spherical : {false, true}) {
    KmeansSettings settings{
        .clusters = 300, .iterations = 8, .is_spherical = is_spherical, .on_iteration = {}};
    std::size_t repaired = 0;
    settings.on_iteration = [&](const KmeansIteration& told) { repaired += told.repaired; };
    const KmeansResult found = kmeans_on_gpus(points, settings, Gpus(3).all());
    EXPECT_GT(repaired, 0U);
    expect_assigned(is_spherical ? scaled(points) : points, found, "few distinct points");
  }
}

TEST_F(GpuKmeansReplicas, BalancedClustersAreOfEvenSizes) {
  auto random = test::generator(6);
  const Matrix<float> points = draw_with_dense_middle(random);
  KmeansSettings settings{.clusters = 100, .on_iteration = {}};
  std::size_t largest = 0;
  settings.on_iteration = [&](const KmeansIteration& told) { largest = told.largest; };
  const Gpus gpus(3);
  kmeans_on_gpus(points, settings, gpus.all());
  EXPECT_GT(largest, 3 * 111U);
  settings.is_balanced = true;
  expect_assigned(points, kmeans_on_gpus(points, settings, gpus.all()), "balanced");
  EXPECT_LE(largest, 3 * 111U);  // 1.1 times the mean of each share, rounded up
}

TEST_F(GpuKmeansReplicas, ErrorsSayWhichGpu) {
  auto random = test::generator(7);
  const Matrix<float> points = draw_points(random, 3000, 4);
  const KmeansSettings settings{.clusters = 10, .on_iteration = {}};
  const Gpus gpus(3, 1 << 12);
  try {
    kmeans_on_gpus(points, settings, gpus.all());
    FAIL() << "a share that has no memory";
  } catch (const Error& error) {
    EXPECT_EQ(typeid(error), typeid(Error));
    EXPECT_THAT(error.what(), testing::StartsWith("GPU 0: "));
    EXPECT_THAT(error.what(), testing::HasSubstr("1000 vectors"));
    EXPECT_THAT(error.what(), testing::HasSubstr("GPU memory"));
  }
  EXPECT_EQ(gpus.used(), 0U);
}

TEST_F(GpuKmeansReplicas, RefusesWhatItCannotDo) {
  auto random = test::generator(8);
  Matrix<float> points = draw_points(random, 100, 4);
  const Gpus gpus(3);
  KmeansSettings settings;
  EXPECT_THROW(kmeans_on_gpus(points, settings, gpus.all()), UsageError);
  settings.clusters = 10;
  EXPECT_THROW(kmeans_on_gpus(points, settings, {}), UsageError);
  settings.on_iteration = [](const KmeansIteration&) { throw std::out_of_range("enough"); };
  EXPECT_THROW(kmeans_on_gpus(points, settings, gpus.all()), std::out_of_range);
  points.row(80)[3] = 0x1p60F;  // the mean of all stays near to the others
  try {
    kmeans_on_gpus(points, settings, gpus.all());
    FAIL() << "a point too far away";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("vector 80 "));
  }
  EXPECT_EQ(gpus.used(), 0U);
}

}  // namespace
}  // namespace warpdex::vector
