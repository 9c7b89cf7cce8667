// k-means on several GPUs: each has all centroids and a share of the points. The host adds up what
// they find, and moves the centroids.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "kmeans/gpu/lloyd.hpp"
#include "kmeans/gpu/point_share.hpp"
#include "kmeans/kmeans_input.hpp"
#include "kmeans/parallel_parts.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex::vector {
namespace {

/// Clusters whose sums a thread adds up at a time.
constexpr std::size_t kTaskClusters = 64;

/// Calls `work` with `device` as the current one. Errors of the GPU say which it was.
void run_on(int device, const std::function<void()>& work) {
  const std::string name = "GPU " + std::to_string(device) + ": ";
  try {
    const CurrentDevice current(device);
    work();
  } catch (const CudaError& error) {
    throw CudaError(name + error.what(), error.code());
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error)) throw;
    throw Error(name + error.what());
  }
}

/// A GPU with its share, and what it found last.
struct Replica {
  Resources& resources;
  SharePoints points;
  std::unique_ptr<PointShare> share{};
  std::vector<float> mean{};
  float largest_norm = 0;
  AssignmentFigures found{};
  std::vector<double> sums{};
};

class Replicas final : public GpuClusters {
 public:
  Replicas(const Matrix<float>& points, const KmeansSettings& settings,
           std::span<Resources* const> resources)
      : settings_(settings) {
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::size_t first = points.rows * i / resources.size();
      const std::size_t last = points.rows * (i + 1) / resources.size();
      replicas_.push_back({*resources[i],
                           {.on_host = points.row(first).data(),
                            .count = static_cast<std::uint32_t>(last - first),
                            .dimension = static_cast<std::uint32_t>(points.columns),
                            .first = first}});
    }
    prepare(points.rows);
    draw_centroids(points);
  }

  AssignmentFigures assign(bool is_last) override {
    run_each([&](Replica& one) {
      one.share->set_centroids(centroids_);
      one.found = one.share->assign(is_last);
      if (!is_last) one.sums = one.share->sum_clusters();
    });
    AssignmentFigures all{0, 0, std::vector<std::uint64_t>(settings_.clusters)};
    for (const Replica& one : replicas_) {
      all.objective += one.found.objective;
      all.changed += one.found.changed;
      for (std::size_t i = 0; i < all.sizes.size(); ++i) all.sizes[i] += one.found.sizes[i];
    }
    sizes_ = all.sizes;
    return all;
  }

  void move_centroids() override {
    for_each_part(settings_.clusters, kTaskClusters, settings_.threads,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) move_centroid(i);
                  });
  }

  void repair(const std::vector<Repair>& repairs) override {
    for (const Repair& one : repairs) {
      split(get_member(one), centroids_.row(one.parted), centroids_.row(one.cluster));
    }
    if (settings_.is_spherical) normalize_centroids();
  }

  void fetch(KmeansResult& result) override {
    result.clusters.resize(replicas_.back().points.first + replicas_.back().points.count);
    run_each(
        [&](Replica& one) { one.share->get_clusters(result.clusters.data() + one.points.first); });
    result.centroids = centroids_;
  }

 private:
  /// Calls work(replica) for each, from a thread each.
  void run_each(const std::function<void(Replica&)>& work) {
    parallel_for(replicas_.size(), replicas_.size(), [&](std::size_t /*thread*/, std::size_t i) {
      run_on(replicas_[i].resources.device(), [&] { work(replicas_[i]); });
    });
  }

  void prepare(std::size_t count) {
    run_each([&](Replica& one) {
      one.share = std::make_unique<PointShare>(one.points, settings_, one.resources);
      one.mean = one.share->find_mean();
    });
    const std::vector<float> centre = find_centre(count);
    run_each([&](Replica& one) { one.largest_norm = one.share->find_norms(centre); });
    float largest = 0;
    for (const Replica& one : replicas_) largest = std::max(largest, one.largest_norm);
    run_each([&](Replica& one) { one.share->pack(largest); });
  }

  /// About the mean of all points.
  std::vector<float> find_centre(std::size_t count) const {
    std::vector<float> centre(replicas_[0].mean.size());
    for (std::size_t c = 0; c < centre.size(); ++c) {
      double sum = 0;
      for (const Replica& one : replicas_) sum += double{one.mean[c]} * one.points.count;
      centre[c] = static_cast<float>(sum / static_cast<double>(count));
    }
    return centre;
  }

  void draw_centroids(const Matrix<float>& points) {
    centroids_ = {settings_.clusters, points.columns, {}};
    for (const std::uint64_t row : sample_rows(points.rows, settings_.clusters, settings_.seed)) {
      const std::span<const float> point = points.row(row);
      centroids_.values.insert(centroids_.values.end(), point.begin(), point.end());
    }
    if (!settings_.is_spherical) return;
    normalize_centroids();  // as the points are
    normalize_centroids();
  }

  void normalize_centroids() {
    for (std::size_t i = 0; i < settings_.clusters; ++i) normalize(centroids_.row(i));
  }

  void move_centroid(std::size_t cluster) {
    if (sizes_[cluster] == 0) return;
    const std::span<float> centroid = centroids_.row(cluster);
    for (std::size_t c = 0; c < centroid.size(); ++c) {
      double sum = 0;
      for (const Replica& one : replicas_) sum += one.sums[cluster * centroid.size() + c];
      centroid[c] = static_cast<float>(sum / static_cast<double>(sizes_[cluster]));
    }
    if (settings_.is_spherical) normalize(centroid);
  }

  /// The point towards which a centroid is split. Members are counted through all shares.
  std::vector<float> get_member(const Repair& repair) {
    std::uint64_t member = repair.member;
    auto one = replicas_.begin();
    for (; member >= one->found.sizes[repair.parted]; ++one) {
      member -= one->found.sizes[repair.parted];
    }
    std::vector<float> point;
    run_on(one->resources.device(), [&] { point = one->share->get_member(repair.parted, member); });
    return point;
  }

  const KmeansSettings& settings_;
  std::vector<Replica> replicas_;
  Matrix<float> centroids_;
  std::vector<std::uint64_t> sizes_;
};

}  // namespace

KmeansResult kmeans_on_gpus(const Matrix<float>& points, const KmeansSettings& settings,
                            std::span<Resources* const> resources) {
  check_kmeans(points.rows, settings);
  if (resources.empty()) throw UsageError("k-means on GPUs takes 1 GPU or more");
  const auto used = resources.first(std::min(resources.size(), points.rows));
  if (used.size() == 1) return kmeans_on_gpu(points, settings, *used[0]);
  Replicas replicas(points, settings, used);
  return run_lloyd(settings, replicas);
}

}  // namespace warpdex::vector
