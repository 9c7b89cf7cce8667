// The nearest centroid of each point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::vector {

/// Points with what all iterations share.
struct KmeansPoints {
  const Matrix<float>& points;
  std::vector<float> centre;  ///< the mean of the points
  std::vector<double> norms;  ///< squared distance of each point from it
};

KmeansPoints make_kmeans_points(const Matrix<float>& points, std::size_t threads);

/// Finds for each point the centroid with the smallest squared distance, ties to the smaller
/// number, and sets clusters[point] and distances[point], in the canonical order of arithmetic.
/// O(points * centroids * dimension) arithmetic, by panel products.
void assign(const KmeansPoints& points, const Matrix<float>& centroids, std::size_t threads,
            std::span<std::uint32_t> clusters, std::span<float> distances);

/// Takes from each cluster that has more than `share` times the mean number of points those that
/// are farthest from its centroid, and gives them to the nearest centroids that have room, until no
/// cluster has too many. `share` is 1 or more.
void limit_clusters(const KmeansPoints& points, const Matrix<float>& centroids, double share,
                    std::size_t threads, std::span<std::uint32_t> clusters,
                    std::span<float> distances);

}  // namespace warpdex::vector
