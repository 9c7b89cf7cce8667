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

/// Places the centroids of clusters that are empty or tiny anew: each beside that of the largest
/// cluster, which it shares with it. Returns how many.
std::size_t repair_clusters(const Matrix<float>& points, const ClusterMembers& members,
                            Random& random, Matrix<float>& centroids);

}  // namespace warpdex::vector
