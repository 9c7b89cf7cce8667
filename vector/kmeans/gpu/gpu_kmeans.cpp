// k-means on one GPU, which has the points and moves the centroids.
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

#include <vector>

#include "kmeans/gpu/lloyd.hpp"
#include "kmeans/gpu/point_share.hpp"
#include "kmeans/kmeans_input.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::vector {
namespace {

class OneGpu final : public GpuClusters {
 public:
  OneGpu(const SharePoints& points, const KmeansSettings& settings, Resources& resources)
      : points_(points, settings, resources) {
    points_.pack(points_.find_norms(points_.find_mean()));
    points_.draw_centroids();
  }

  AssignmentFigures assign(bool is_last) override { return points_.assign(is_last); }
  void move_centroids() override { points_.move_centroids(); }
  void repair(const std::vector<Repair>& repairs) override { points_.repair(repairs); }
  void fetch(KmeansResult& result) override {
    points_.get_centroids(result.centroids);
    result.clusters.resize(points_.count());
    points_.get_clusters(result.clusters.data());
  }

 private:
  PointShare points_;
};

KmeansResult run(const SharePoints& points, const KmeansSettings& settings, Resources& resources) {
  const CurrentDevice current(resources.device());
  OneGpu clusters(points, settings, resources);
  return run_lloyd(settings, clusters);
}

}  // namespace

KmeansResult kmeans_on_gpu(const Matrix<float>& points, const KmeansSettings& settings,
                           Resources& resources) {
  check_kmeans(points.rows, settings);
  return run({.on_host = points.values.data(),
              .count = static_cast<std::uint32_t>(points.rows),
              .dimension = static_cast<std::uint32_t>(points.columns)},
             settings, resources);
}

KmeansResult kmeans_on_gpu(const float* points, std::size_t rows, std::size_t columns,
                           const KmeansSettings& settings, Resources& resources) {
  check_kmeans(rows, settings);
  return run({.on_gpu = points,
              .count = static_cast<std::uint32_t>(rows),
              .dimension = static_cast<std::uint32_t>(columns)},
             settings, resources);
}

}  // namespace warpdex::vector
