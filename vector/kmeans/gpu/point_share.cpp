// Points stay in GPU memory. The host sees sizes and sums only.
#include "kmeans/gpu/point_share.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "flat/gpu/answers.hpp"
#include "kmeans/kmeans_input.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

void fill(std::uint32_t* values, std::size_t count, int byte, const Stream& stream) {
  check_cuda(cudaMemsetAsync(values, byte, count * sizeof(std::uint32_t), stream.handle()),
             "cudaMemsetAsync");
}

}  // namespace

PointShare::PointShare(const SharePoints& points, const KmeansSettings& settings,
                       Resources& resources)
    : settings_(settings),
      stream_(resources.device()),
      points_{points.on_gpu, points.count, points.dimension},
      first_(points.first),
      clusters_(static_cast<std::uint32_t>(settings.clusters)),
      has_copy_(points.on_gpu == nullptr || settings.is_spherical),
      has_all_(points.has_all),
      members_(points_.count, clusters_),
      changes_(points_.count, clusters_) {
  take_memory(resources);
  place_points(points);
  fill(before_, points_.count, 0xFF, stream_);
}

void PointShare::take_memory(Resources& resources) {
  for (const bool keeps_panels : {true, false}) {
    const std::size_t bytes = lay_out(nullptr, keeps_panels);
    if (!memory_.allocate(bytes, resources.memory(), resources.device())) {
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

std::size_t PointShare::lay_out(void* memory, bool keeps_panels) {
  Arena arena(memory);
  lay_out_points(arena);
  lay_out_clusters(arena);
  members_.lay_out(arena);
  changes_.lay_out(arena);
  assignment_.emplace(points_.dimension, points_.count, keeps_panels, settings_.is_balanced);
  assignment_->lay_out(arena);
  return arena.used();
}

void PointShare::lay_out_points(Arena& arena) {
  const std::size_t count = points_.count;
  if (has_copy_) copy_ = arena.take<float>(count * points_.dimension);
  centre_ = arena.take<float>(points_.dimension);
  norms_ = arena.take<float>(count);
  partial_ = arena.take<double>(std::size_t{kPartialSums} * points_.dimension);
  figures_ = arena.take<IterationFigures>(1);
  norm_figures_ = arena.take<NormFigures>(1);
  assigned_ = arena.take<std::uint32_t>(count);
  before_ = arena.take<std::uint32_t>(count);
  distances_ = arena.take<float>(count);
  surplus_ = {arena.take<std::uint32_t>(count), arena.take<std::uint32_t>(1),
              arena.take<std::uint32_t>(clusters_)};
}

void PointShare::lay_out_clusters(Arena& arena) {
  repairs_ = arena.take<DeviceRepair>(clusters_);
  centroids_ = arena.take<float>(std::size_t{clusters_} * points_.dimension);
  const std::size_t sums = std::size_t{clusters_} * points_.dimension;
  sums_ = arena.take<double>(sums);
  parts_of_sums_ = arena.take<double>(sums * mean_parts(clusters_));
  if (!has_all_) shared_ = {arena.take<double>(sums), arena.take<std::uint64_t>(clusters_)};
  panels_.centroids = centroids_;
  panels_.count = clusters_;
  lay_out_panels(arena, points_.dimension, panels_);
}

void PointShare::place_points(const SharePoints& points) {
  if (points.on_gpu == nullptr) {
    copy_to_gpu(copy_, points.on_host, std::size_t{points.count} * points.dimension, stream_);
    points_.values = copy_;
  }
  if (settings_.is_spherical) normalize_rows(points_.values, points_.count, copy_);
  if (has_copy_) points_.values = copy_;
  rows_ = {points_.values, Store::kFloat, points_.dimension, points_.dimension, norms_};
}

/// Scales rows to length 1.
void PointShare::normalize_rows(const float* rows, std::uint32_t count, float* to) {
  prepare_on_gpu(rows, count, points_.dimension, Metric::kCosine, to, points_.dimension, stream_);
}

std::vector<float> PointShare::find_mean() {
  vector::find_centre(points_, partial_, centre_, stream_);
  std::vector<float> mean(points_.dimension);
  copy_to_host(mean.data(), centre_, mean.size(), stream_);
  stream_.synchronize();
  return mean;
}

float PointShare::find_norms(const std::vector<float>& centre) {
  copy_to_gpu(centre_, centre.data(), centre.size(), stream_);
  vector::find_norms(points_, centre_, static_cast<float>(kMaxKmeansNorm), norms_, norm_figures_,
                     stream_);
  NormFigures found{};
  copy_to_host(&found, norm_figures_, 1, stream_);
  stream_.synchronize();
  if (found.first_far < points_.count) refuse_far_point(first_ + found.first_far);
  return std::bit_cast<float>(found.largest_bits);
}

void PointShare::pack(float largest_norm) {
  rules_ = {HalfBound(Metric::kL2, points_.dimension), half_scale(Metric::kL2, largest_norm),
            centre_};
  const float rounding = measure_rounding(rows_, points_.count, rules_, distances_, stream_);
  rules_.bound = HalfBound(Metric::kL2, points_.dimension, rounding);
  if (keeps_panels_) assignment_->pack(rows_, all_points(), rules_, stream_);
}

void PointShare::draw_centroids() {
  std::vector<std::uint32_t> rows;
  for (const std::uint64_t row : sample_rows(points_.count, clusters_, settings_.seed)) {
    rows.push_back(static_cast<std::uint32_t>(row));
  }
  copy_to_gpu(surplus_.points, rows.data(), rows.size(), stream_);
  copy_points(points_, surplus_.points, clusters_, centroids_, stream_);
  if (settings_.is_spherical) normalize_rows(centroids_, clusters_, centroids_);
  stream_.synchronize();
}

void PointShare::set_centroids(const Matrix<float>& centroids) {
  copy_to_gpu(centroids_, centroids.values.data(), centroids.values.size(), stream_);
  stream_.synchronize();
}

void PointShare::get_centroids(Matrix<float>& centroids) {
  centroids = {clusters_, points_.dimension,
               std::vector<float>(std::size_t{clusters_} * points_.dimension)};
  copy_to_host(centroids.values.data(), centroids_, centroids.values.size(), stream_);
  stream_.synchronize();
}

AssignmentFigures PointShare::assign(bool is_last) {
  assign_all(is_last || settings_.is_balanced);
  if (settings_.is_balanced && !is_last) balance();
  return find_figures();
}

void PointShare::assign_all(bool computes_distances) {
  panels_.is_closed = nullptr;
  pack_centroids(panels_, points_.dimension, rules_, stream_);
  assignment_->run(rows_, all_points(), rules_, panels_, keeps_panels_, computes_distances,
                   assigned_, distances_, stream_);
}

/// Moves points out of clusters with too many, as limit_clusters() does.
void PointShare::balance() {
  const double mean = static_cast<double>(points_.count) / clusters_;
  const auto limit = static_cast<std::uint32_t>(std::ceil(kBalancedShare * mean));
  fill(surplus_.is_closed, clusters_, 0, stream_);
  for (;;) {
    members_.sort_by_distance(assigned_, distances_, stream_);
    fill(surplus_.count, 1, 0, stream_);
    list_surplus(members_, clusters_, limit, surplus_.is_closed, surplus_.points, surplus_.count,
                 stream_);
    std::uint32_t moved = 0;
    copy_to_host(&moved, surplus_.count, 1, stream_);
    stream_.synchronize();
    if (moved == 0) return;
    panels_.is_closed = surplus_.is_closed;
    pack_centroids(panels_, points_.dimension, rules_, stream_);
    assignment_->run(rows_, {.count = moved, .positions = surplus_.points}, rules_, panels_, false,
                     true, assigned_, distances_, stream_);
  }
}

/// Sorts the points by cluster and fetches what the host needs.
AssignmentFigures PointShare::find_figures() {
  sum_up(distances_, assigned_, before_, points_.count, partial_, figures_, stream_);
  members_.sort(assigned_, stream_);
  IterationFigures figures{};
  begins_.resize(std::size_t{clusters_} + 1);
  copy_to_host(&figures, figures_, 1, stream_);
  copy_to_host(begins_.data(), members_.begins(), begins_.size(), stream_);
  stream_.synchronize();
  changed_ = figures.changed;
  AssignmentFigures found{figures.objective, figures.changed, {}};
  for (std::size_t i = 0; i < clusters_; ++i) found.sizes.push_back(begins_[i + 1] - begins_[i]);
  return found;
}

/// Sets sums_, to which the last assignment's points belong.
void PointShare::find_sums() {
  if (changed_ > changes_.max_changed()) {
    vector::sum_clusters(points_, members_, clusters_, parts_of_sums_, sums_, stream_);
  } else {
    changes_.update_sums(points_, before_, assigned_, changed_, parts_of_sums_, sums_, stream_);
  }
  check_cuda(cudaMemcpyAsync(before_, assigned_, points_.count * sizeof(*before_),
                             cudaMemcpyDeviceToDevice, stream_.handle()),
             "cudaMemcpyAsync");
}

void PointShare::move_centroids() {
  find_sums();
  vector::move_centroids(members_, clusters_, points_.dimension, sums_, centroids_, stream_);
  if (settings_.is_spherical) normalize_rows(centroids_, clusters_, centroids_);
}

void PointShare::sum_clusters() {
  find_sums();
  stream_.synchronize();
}

void PointShare::move_centroids(const std::vector<ShareSums>& all,
                                const std::vector<std::uint64_t>& sizes) {
  const std::size_t size = std::size_t{clusters_} * points_.dimension;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_own = all[i].values == sums_;
    if (!is_own) {
      check_cuda(cudaMemcpyPeerAsync(parts_of_sums_, stream_.device(), all[i].values, all[i].device,
                                     size * sizeof(double), stream_.handle()),
                 "cudaMemcpyPeerAsync");
    }
    add_sums(is_own ? sums_ : parts_of_sums_, i == 0, size, shared_, stream_);
  }
  copy_to_gpu(shared_.sizes, sizes.data(), sizes.size(), stream_);
  vector::move_centroids(shared_, clusters_, points_.dimension, centroids_, stream_);
  if (settings_.is_spherical) normalize_rows(centroids_, clusters_, centroids_);
  stream_.synchronize();
}

void PointShare::repair(const std::vector<Repair>& repairs) {
  std::vector<DeviceRepair> list;
  for (const Repair& one : repairs) {
    list.push_back({one.cluster, one.parted, member_point(one.parted, one.member)});
  }
  copy_to_gpu(repairs_, list.data(), list.size(), stream_);
  split_centroids(points_, repairs_, static_cast<std::uint32_t>(list.size()), centroids_, stream_);
  if (settings_.is_spherical) normalize_rows(centroids_, clusters_, centroids_);
  stream_.synchronize();
}

std::uint32_t PointShare::member_point(std::uint32_t cluster, std::uint64_t member) {
  std::uint32_t point = 0;
  copy_to_host(&point, members_.points() + begins_[cluster] + member, 1, stream_);
  stream_.synchronize();
  return point;
}

std::vector<float> PointShare::get_member(std::uint32_t cluster, std::uint64_t member) {
  const std::size_t row = member_point(cluster, member);
  std::vector<float> values(points_.dimension);
  copy_to_host(values.data(), points_.values + row * points_.dimension, values.size(), stream_);
  stream_.synchronize();
  return values;
}

void PointShare::get_clusters(std::uint32_t* clusters) {
  copy_to_host(clusters, assigned_, points_.count, stream_);
  stream_.synchronize();
}

}  // namespace warpdex::vector
