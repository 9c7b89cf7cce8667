// Points that one GPU keeps and assigns to centroids: all of them, or its share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmeans/gpu/assign_points.hpp"
#include "kmeans/gpu/kernels.hpp"
#include "kmeans/gpu/lloyd.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/resources.hpp"

namespace warpdex::vector {

/// Rows without gaps, in GPU memory or, if that pointer is null, in the host's.
struct SharePoints {
  const float* on_gpu = nullptr;
  const float* on_host = nullptr;
  std::uint32_t count = 0;  ///< 1 or more
  std::uint32_t dimension = 0;
  std::size_t first = 0;  ///< what the first one's number is among the points of all shares
  bool has_all = true;    ///< there is no other share
};

/// The sums of a share's clusters, in the memory of its GPU.
struct ShareSums {
  const double* values;
  int device;
};

/// A share of the points, and all centroids. Used by one thread at a time, whose current device is
/// that of `resources`. What a function reads of the host may go when it returns.
class PointShare {
 public:
  /// Takes all memory. Throws Error, which says how much is needed, where there is too little.
  PointShare(const SharePoints& points, const KmeansSettings& settings, Resources& resources);

  std::uint32_t count() const { return points_.count; }

  // Before anything is assigned, in this order:
  /// A point amidst the share's points.
  std::vector<float> find_mean();
  /// The largest squared distance of a point from `centre`, which all shares have alike. Throws
  /// InputError for a point that is too far.
  float find_norms(const std::vector<float>& centre);
  /// Makes panels; `largest_norm` is that of all shares.
  void pack(float largest_norm);

  /// Sets the centroids to points of this share, drawn at random.
  void draw_centroids();
  void set_centroids(const Matrix<float>& centroids);
  void get_centroids(Matrix<float>& centroids);

  /// As GpuClusters has it, of this share. Clusters are balanced within it.
  AssignmentFigures assign(bool is_last);
  /// Queues the moving of the centroids to the means of this share's points. Once after assign().
  void move_centroids();
  /// Likewise, of all shares' points, in three steps, each after the one before has ended on all:
  /// finds the sums of this share's clusters, tells where they are, and moves the centroids by the
  /// sums of all, added in their order. `sizes` are those of the clusters in all shares together.
  void sum_clusters();
  ShareSums sums() const { return {sums_, stream_.device()}; }
  void move_centroids(const std::vector<ShareSums>& all, const std::vector<std::uint64_t>& sizes);
  void repair(const std::vector<Repair>& repairs);

  /// Of the points that the last assignment gave to a cluster, the `member`th from 0.
  std::vector<float> get_member(std::uint32_t cluster, std::uint64_t member);
  /// The cluster of each point.
  void get_clusters(std::uint32_t* clusters);

 private:
  /// What balancing needs.
  struct Surplus {
    std::uint32_t* points = nullptr;
    std::uint32_t* count = nullptr;
    std::uint32_t* is_closed = nullptr;  ///< of each cluster
  };

  void take_memory(Resources& resources);
  std::size_t lay_out(void* memory, bool keeps_panels);
  void lay_out_points(Arena& arena);
  void lay_out_clusters(Arena& arena);
  void place_points(const SharePoints& points);
  void normalize_rows(const float* rows, std::uint32_t count, float* to);
  std::uint32_t member_point(std::uint32_t cluster, std::uint64_t member);
  void assign_all(bool computes_distances);
  void balance();
  AssignmentFigures find_figures();
  void find_sums();
  DeviceChoice all_points() const { return {.count = points_.count}; }

  const KmeansSettings& settings_;
  Stream stream_;
  AccountedBuffer memory_;
  DevicePoints points_;
  std::size_t first_;
  std::uint32_t clusters_;
  bool has_copy_;
  bool has_all_;
  bool keeps_panels_ = false;
  DeviceMembers members_;
  ClusterChanges changes_;
  std::optional<PointAssignment> assignment_;
  PanelRules rules_{HalfBound(Metric::kL2, 1), 1};
  DeviceRows rows_;
  CentroidPanels panels_;
  float* copy_ = nullptr;
  float* centre_ = nullptr;
  float* norms_ = nullptr;
  double* partial_ = nullptr;
  IterationFigures* figures_ = nullptr;
  NormFigures* norm_figures_ = nullptr;
  std::uint32_t* assigned_ = nullptr;
  std::uint32_t* before_ = nullptr;
  float* distances_ = nullptr;
  Surplus surplus_;
  DeviceRepair* repairs_ = nullptr;
  float* centroids_ = nullptr;
  double* sums_ = nullptr;
  double* parts_of_sums_ = nullptr;  ///< also another share's sums
  SharedSums shared_;
  std::vector<std::uint32_t> begins_;  ///< of the clusters, among the members
  std::uint32_t changed_ = 0;          ///< points, since sums_ were found
};

}  // namespace warpdex::vector
