// k-means on several GPUs: each has all centroids and a share of the points. Each adds up the sums
// of all, in one order, and moves its own copy of the centroids. The host sees sizes only.
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
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex::vector {
namespace {

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
                            .first = first,
                            .has_all = false}});
    }
    prepare(points.rows);
    draw_centroids(points);
  }

  AssignmentFigures assign(bool is_last) override {
    run_each([&](Replica& one) {
      one.found = one.share->assign(is_last);
      if (!is_last) one.share->sum_clusters();
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
    std::vector<ShareSums> sums;
    for (const Replica& one : replicas_) sums.push_back(one.share->sums());
    run_each([&](Replica& one) { one.share->move_centroids(sums, sizes_); });
  }

  void repair(const std::vector<Repair>& repairs) override {
    Matrix<float> centroids = get_centroids();
    for (const Repair& one : repairs) {
      split(get_member(one), centroids.row(one.parted), centroids.row(one.cluster));
    }
    if (settings_.is_spherical) normalize_rows(centroids);
    set_centroids(centroids);
  }

  void fetch(KmeansResult& result) override {
    result.clusters.resize(replicas_.back().points.first + replicas_.back().points.count);
    run_each(
        [&](Replica& one) { one.share->get_clusters(result.clusters.data() + one.points.first); });
    result.centroids = get_centroids();
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
    Matrix<float> centroids{settings_.clusters, points.columns, {}};
    for (const std::uint64_t row : sample_rows(points.rows, settings_.clusters, settings_.seed)) {
      const std::span<const float> point = points.row(row);
      centroids.values.insert(centroids.values.end(), point.begin(), point.end());
    }
    if (settings_.is_spherical) {
      normalize_rows(centroids);  // as the points are
      normalize_rows(centroids);
    }
    set_centroids(centroids);
  }

  static void normalize_rows(Matrix<float>& rows) {
    for (std::size_t i = 0; i < rows.rows; ++i) normalize(rows.row(i));
  }

  /// All have the same.
  Matrix<float> get_centroids() {
    Matrix<float> centroids;
    Replica& one = replicas_[0];
    run_on(one.resources.device(), [&] { one.share->get_centroids(centroids); });
    return centroids;
  }
  void set_centroids(const Matrix<float>& centroids) {
    run_each([&](Replica& one) { one.share->set_centroids(centroids); });
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
