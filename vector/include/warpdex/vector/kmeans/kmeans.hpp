// k-means on the CPU: divides points into clusters, and finds their centroids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::vector {

/// What on_iteration gets after each iteration.
struct KmeansIteration {
  std::size_t number = 0;    ///< from 1
  double objective = 0;      ///< sum of squared distances, before the centroids moved
  std::size_t repaired = 0;  ///< clusters that were empty or tiny and were placed anew
  std::size_t largest = 0;   ///< points of the largest cluster
};

struct KmeansSettings {
  std::size_t clusters = 0;     ///< 1 to the number of points
  std::size_t iterations = 20;  ///< at most; ends early once no point changes its cluster
  /// Only directions count: points and centroids are scaled to length 1.
  bool is_spherical = false;
  /// Clusters of more even sizes: while the centroids move, no cluster may have more than 1.1 times
  /// the mean number of points. Assigned to the nearest centroids in the end, the largest one had
  /// up to 1.5 times the mean on all collections that were tried.
  bool is_balanced = false;
  std::uint64_t seed = 1;   ///< of the choice of the first centroids, and of repairs
  std::size_t threads = 0;  ///< 0: default_threads()
  /// Called after each iteration, on the caller's thread; what it throws ends the work.
  std::function<void(const KmeansIteration&)> on_iteration;
};

struct KmeansResult {
  Matrix<float> centroids;
  /// The nearest centroid of each point, ties to the smaller number.
  std::vector<std::uint32_t> clusters;
  std::vector<std::uint64_t> sizes;  ///< points of each cluster
  double objective = 0;              ///< sum of squared distances to the centroids of `clusters`
  std::size_t iterations = 0;        ///< that were made
};

/// Lloyd's iterations from centroids that are points drawn at random. An iteration assigns all
/// points to their nearest centroids and moves each centroid into the mean of its points. A cluster
/// that is empty, or has less than 1/32 of the mean number of points, takes half of the largest
/// one. The same points, settings and instruction set give the same bits, whatever the number of
/// threads. Points may be far from the origin. Throws UsageError for a number of clusters that is 0
/// or more than there are points, and for no iterations; InputError for a point farther than 2e17
/// from the mean of all. O(iterations * points * clusters * dimension) arithmetic; memory for the
/// points' norms and clusters beside the points, and for a copy of them if it is spherical.
KmeansResult kmeans(const Matrix<float>& points, const KmeansSettings& settings);

/// `count` of the numbers [0, total), ascending, each set of them equally likely; all of them if
/// there are no more. The same on every machine.
std::vector<std::uint64_t> sample_rows(std::uint64_t total, std::uint64_t count,
                                       std::uint64_t seed);

}  // namespace warpdex::vector
