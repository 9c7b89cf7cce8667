// Centroids from the points of their clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kmeans/random.hpp"
#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::vector {

/// The points of each cluster, in order.
struct ClusterMembers {
  std::vector<std::uint64_t> begins;  ///< clusters + 1
  std::vector<std::uint32_t> points;

  std::size_t size(std::size_t cluster) const { return begins[cluster + 1] - begins[cluster]; }
  std::span<const std::uint32_t> of(std::size_t cluster) const {
    return std::span(points).subspan(begins[cluster], size(cluster));
  }
};

ClusterMembers collect_members(std::span<const std::uint32_t> clusters, std::size_t count);

/// Moves each centroid into the mean of its points, or, if it is spherical, into their direction;
/// those without points stay. The sums are double, in the order of the points.
void move_centroids(const Matrix<float>& points, const ClusterMembers& members, bool is_spherical,
                    std::size_t threads, Matrix<float>& centroids);

/// One cluster takes half of another one.
struct Repair {
  std::uint32_t cluster;  ///< empty or tiny
  std::uint32_t parted;   ///< the largest, whose centroid moves too
  std::uint64_t member;   ///< of its points, towards which one of the two moves: from 0
};

/// What is to be done about clusters that are empty or tiny, in this order: each takes half of the
/// largest one. `sizes` are the points of each cluster.
std::vector<Repair> plan_repairs(std::span<const std::uint64_t> sizes, Random& random);

/// How far the two halves of a cluster start from its centroid, as a share of the way to a point.
inline constexpr float kSplitShare = 1.0F / 64;

/// Parts a component of a cluster's centroid: one of the two moves towards the point, the other
/// away from it.
inline void split_component(float point, float& kept, float& placed) {
  const float step = kSplitShare * (point - kept);
  placed = kept + step;
  kept -= step;
}

/// Parts a cluster: one centroid moves towards the point, the other away from it.
void split(std::span<const float> point, std::span<float> kept, std::span<float> placed);

}  // namespace warpdex::vector
