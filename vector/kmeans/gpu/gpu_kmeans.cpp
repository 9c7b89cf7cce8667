// Lloyd's iterations, whose points stay in GPU memory. The host sees sizes and sums only.
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "flat/gpu/answers.hpp"
#include "kmeans/gpu/assign_points.hpp"
#include "kmeans/gpu/update.hpp"
#include "kmeans/kmeans_input.hpp"
#include "kmeans/random.hpp"
#include "kmeans/update.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

template <class Value>
void upload(Value* to, const std::vector<Value>& values, const Stream& stream) {
  check_cuda(cudaMemcpyAsync(to, values.data(), values.size() * sizeof(Value),
                             cudaMemcpyHostToDevice, stream.handle()),
             "cudaMemcpyAsync");
}

template <class Value>
void download(const Value* from, std::size_t count, Value* to, const Stream& stream) {
  check_cuda(
      cudaMemcpyAsync(to, from, count * sizeof(Value), cudaMemcpyDeviceToHost, stream.handle()),
      "cudaMemcpyAsync");
}

class GpuLloyd {
 public:
  /// `points` may be null: then host points are uploaded.
  GpuLloyd(const float* points, const float* host_points, std::size_t rows, std::size_t columns,
           const KmeansSettings& settings, Resources& resources)
      : settings_(settings),
        device_(resources.device()),
        stream_(resources.device()),
        points_{points, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)},
        clusters_(static_cast<std::uint32_t>(settings.clusters)),
        has_copy_(points == nullptr || settings.is_spherical),
        members_(points_.count, clusters_),
        random_(settings.seed + 1) {
    take_memory(resources);
    if (points == nullptr) {
      check_cuda(cudaMemcpyAsync(copy_, host_points, rows * columns * sizeof(float),
                                 cudaMemcpyHostToDevice, stream_.handle()),
                 "cudaMemcpyAsync");
      points_.values = copy_;
    }
    if (settings.is_spherical) {
      normalize(points_.values, points_.count, copy_);
      points_.values = copy_;
    }
    prepare_points();
    draw_centroids();
  }

  KmeansResult run() {
    std::size_t iteration = 1;
    while (iterate(iteration) && iteration < settings_.iterations) ++iteration;
    result_.iterations = iteration;
    assign(true);
    const IterationFigures figures = find_figures();
    result_.objective = figures.objective;
    result_.sizes.assign(sizes_.begin(), sizes_.end());
    result_.clusters.resize(points_.count);
    download(assigned_, points_.count, result_.clusters.data(), stream_);
    result_.centroids = {clusters_, points_.dimension,
                         std::vector<float>(std::size_t{clusters_} * points_.dimension)};
    download(centroids_, result_.centroids.values.size(), result_.centroids.values.data(), stream_);
    stream_.synchronize();
    return std::move(result_);
  }

 private:
  std::size_t lay_out(void* memory, bool keeps_panels) {
    Arena arena(memory);
    const std::size_t count = points_.count;
    const std::size_t padded = (std::size_t{clusters_} + kPanelRows - 1) / kPanelRows * kPanelRows;
    if (has_copy_) copy_ = arena.take<float>(count * points_.dimension);
    centre_ = arena.take<float>(points_.dimension);
    norms_ = arena.take<float>(count);
    partial_ = arena.take<double>(std::size_t{kPartialSums} * points_.dimension);
    sums_ = arena.take<double>(std::size_t{clusters_} * mean_parts(clusters_) * points_.dimension);
    figures_ = arena.take<IterationFigures>(1);
    assigned_ = arena.take<std::uint32_t>(count);
    before_ = arena.take<std::uint32_t>(count);
    distances_ = arena.take<float>(count);
    surplus_ = arena.take<std::uint32_t>(count);
    surplus_count_ = arena.take<std::uint32_t>(1);
    is_closed_ = arena.take<std::uint32_t>(clusters_);
    repairs_ = arena.take<DeviceRepair>(clusters_);
    centroids_ = arena.take<float>(std::size_t{clusters_} * points_.dimension);
    panels_.centroids = centroids_;
    panels_.count = clusters_;
    panels_.panels = {
        arena.take<std::uint8_t>(padded / kPanelRows * panel_bytes(points_.dimension)),
        arena.take<float>(padded),
        arena.take<float>(padded),
        arena.take<float>(padded),
        arena.take<float>(padded),
        arena.take<float>(padded),
        arena.take<std::uint32_t>(padded)};
    panels_.offsets = arena.take<float>(padded);
    panels_.sizes = arena.take<float>(padded);
    panels_.bounds = arena.take<CentroidBounds>(1);
    members_.lay_out(arena);
    assignment_.emplace(points_.dimension, points_.count, keeps_panels);
    assignment_->lay_out(arena);
    return arena.used();
  }

  void take_memory(Resources& resources) {
    for (const bool keeps_panels : {true, false}) {
      const std::size_t bytes = lay_out(nullptr, keeps_panels);
      if (!memory_.allocate(bytes, resources.memory(), device_)) {
        if (keeps_panels) continue;
        throw Error("k-means of " + std::to_string(points_.count) + " vectors needs " +
                    std::to_string(bytes >> 20) + " MiB of GPU memory, and " +
                    std::to_string(resources.memory().left() >> 20) +
                    " MiB are left; train on a sample");
      }
      lay_out(memory_.data(), keeps_panels);
      keeps_panels_ = keeps_panels;
      return;
    }
  }

  /// Scales rows to length 1.
  void normalize(const float* rows, std::uint32_t count, float* to) {
    prepare_on_gpu(rows, count, points_.dimension, Metric::kCosine, to, points_.dimension, stream_);
  }

  void prepare_points() {
    find_centre(points_, partial_, centre_, stream_);
    find_norms(points_, centre_, norms_, stream_);
    std::vector<float> norms(points_.count);
    download(norms_, points_.count, norms.data(), stream_);
    stream_.synchronize();
    for (std::size_t i = 0; i < norms.size(); ++i) {
      if (!(double{norms[i]} <= kMaxKmeansNorm)) refuse_far_point(i);
    }
    rules_ = {HalfBound(Metric::kL2, points_.dimension),
              half_scale(Metric::kL2, *std::max_element(norms.begin(), norms.end())), centre_};
    rows_ = {points_.values, Store::kFloat, points_.dimension, points_.dimension, norms_};
    const float rounding = measure_rounding(rows_, points_.count, rules_, distances_, stream_);
    rules_.bound = HalfBound(Metric::kL2, points_.dimension, rounding);
    if (keeps_panels_) assignment_->pack(rows_, all_points(), rules_, stream_);
    check_cuda(
        cudaMemsetAsync(before_, 0xFF, points_.count * sizeof(std::uint32_t), stream_.handle()),
        "cudaMemsetAsync");
  }

  DeviceChoice all_points() const { return {.count = points_.count}; }

  void draw_centroids() {
    std::vector<std::uint32_t> rows;
    for (const std::uint64_t row : sample_rows(points_.count, clusters_, settings_.seed)) {
      rows.push_back(static_cast<std::uint32_t>(row));
    }
    upload(surplus_, rows, stream_);
    copy_points(points_, surplus_, clusters_, centroids_, stream_);
    if (settings_.is_spherical) normalize(centroids_, clusters_, centroids_);
    stream_.synchronize();
  }

  void assign(bool computes_distances) {
    panels_.is_closed = nullptr;
    pack_centroids(panels_, points_.dimension, rules_, stream_);
    assignment_->run(rows_, all_points(), rules_, panels_, keeps_panels_, computes_distances,
                     assigned_, distances_, stream_);
  }

  /// Moves points out of clusters with too many, as limit_clusters() does.
  void balance() {
    const double mean = static_cast<double>(points_.count) / clusters_;
    const auto limit = static_cast<std::uint32_t>(std::ceil(kBalancedShare * mean));
    check_cuda(cudaMemsetAsync(is_closed_, 0, clusters_ * sizeof(std::uint32_t), stream_.handle()),
               "cudaMemsetAsync");
    for (;;) {
      members_.sort_by_distance(assigned_, distances_, stream_);
      check_cuda(cudaMemsetAsync(surplus_count_, 0, sizeof(std::uint32_t), stream_.handle()),
                 "cudaMemsetAsync");
      list_surplus(members_, clusters_, limit, is_closed_, surplus_, surplus_count_, stream_);
      std::uint32_t moved = 0;
      download(surplus_count_, 1, &moved, stream_);
      stream_.synchronize();
      if (moved == 0) return;
      panels_.is_closed = is_closed_;
      pack_centroids(panels_, points_.dimension, rules_, stream_);
      assignment_->run(rows_, {.count = moved, .positions = surplus_}, rules_, panels_, false, true,
                       assigned_, distances_, stream_);
    }
  }

  /// Sorts the points by cluster and fetches what the host needs.
  IterationFigures find_figures() {
    sum_up(distances_, assigned_, before_, points_.count, partial_, figures_, stream_);
    members_.sort(assigned_, stream_);
    IterationFigures figures{};
    std::vector<std::uint32_t> begins(std::size_t{clusters_} + 1);
    download(figures_, 1, &figures, stream_);
    download(members_.begins(), begins.size(), begins.data(), stream_);
    stream_.synchronize();
    sizes_.clear();
    begins_ = begins;
    for (std::size_t i = 0; i < clusters_; ++i) sizes_.push_back(begins[i + 1] - begins[i]);
    return figures;
  }

  /// Returns whether there is reason for another iteration.
  bool iterate(std::size_t number) {
    assign(settings_.is_balanced);
    if (settings_.is_balanced) balance();
    const IterationFigures figures = find_figures();
    move_centroids(points_, members_, clusters_, sums_, centroids_, stream_);
    if (settings_.is_spherical) normalize(centroids_, clusters_, centroids_);
    KmeansIteration told{number, figures.objective, 0,
                         *std::max_element(sizes_.begin(), sizes_.end())};
    if (number < settings_.iterations) told.repaired = repair();
    if (settings_.on_iteration) settings_.on_iteration(told);
    return figures.changed > 0 || told.repaired > 0;
  }

  /// Returns how many clusters.
  std::size_t repair() {
    const std::vector<Repair> repairs = plan_repairs(sizes_, random_);
    if (repairs.empty()) return 0;
    std::vector<DeviceRepair> list;
    for (const Repair& one : repairs) {
      std::uint32_t point = 0;
      download(members_.points() + begins_[one.parted] + one.member, 1, &point, stream_);
      stream_.synchronize();
      list.push_back({one.cluster, one.parted, point});
    }
    upload(repairs_, list, stream_);
    split_centroids(points_, repairs_, static_cast<std::uint32_t>(list.size()), centroids_,
                    stream_);
    if (settings_.is_spherical) normalize(centroids_, clusters_, centroids_);
    stream_.synchronize();
    return repairs.size();
  }

  const KmeansSettings& settings_;
  int device_;
  Stream stream_;
  AccountedBuffer memory_;
  DevicePoints points_;
  std::uint32_t clusters_;
  bool has_copy_;
  bool keeps_panels_ = false;
  DeviceMembers members_;
  std::optional<PointAssignment> assignment_;
  Random random_;
  PanelRules rules_{HalfBound(Metric::kL2, 1), 1};
  DeviceRows rows_;
  CentroidPanels panels_;
  float* copy_ = nullptr;
  float* centre_ = nullptr;
  float* norms_ = nullptr;
  double* partial_ = nullptr;
  double* sums_ = nullptr;
  IterationFigures* figures_ = nullptr;
  std::uint32_t* assigned_ = nullptr;
  std::uint32_t* before_ = nullptr;
  float* distances_ = nullptr;
  std::uint32_t* surplus_ = nullptr;
  std::uint32_t* surplus_count_ = nullptr;
  std::uint32_t* is_closed_ = nullptr;
  DeviceRepair* repairs_ = nullptr;
  float* centroids_ = nullptr;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::uint32_t> begins_;
  KmeansResult result_;
};

}  // namespace

KmeansResult kmeans_on_gpu(const Matrix<float>& points, const KmeansSettings& settings,
                           Resources& resources) {
  check_kmeans(points.rows, settings);
  const CurrentDevice current(resources.device());
  return GpuLloyd(nullptr, points.values.data(), points.rows, points.columns, settings, resources)
      .run();
}

KmeansResult kmeans_on_gpu(const float* points, std::size_t rows, std::size_t columns,
                           const KmeansSettings& settings, Resources& resources) {
  check_kmeans(rows, settings);
  const CurrentDevice current(resources.device());
  return GpuLloyd(points, nullptr, rows, columns, settings, resources).run();
}

}  // namespace warpdex::vector
