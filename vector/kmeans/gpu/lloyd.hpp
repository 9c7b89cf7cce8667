// Lloyd's iterations, on one GPU or several.
#pragma once

#include <cstdint>
#include <vector>

#include "kmeans/update.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {

/// What an assignment found.
struct AssignmentFigures {
  double objective = 0;
  std::uint64_t changed = 0;         ///< points whose cluster is another than before
  std::vector<std::uint64_t> sizes;  ///< points of each cluster
};

/// Points and centroids on one GPU or on several.
class GpuClusters {
 public:
  virtual ~GpuClusters() = default;
  /// Assigns all points to the centroids, and balances the clusters if that is wanted. The last
  /// time each point has its nearest centroid, and the objective is the sum of canonical distances.
  virtual AssignmentFigures assign(bool is_last) = 0;
  /// Moves the centroids to the means of their points.
  virtual void move_centroids() = 0;
  /// Does what was planned by the sizes of the last assignment.
  virtual void repair(const std::vector<Repair>& repairs) = 0;
  /// Writes the centroids, and the clusters of the last assignment.
  virtual void fetch(KmeansResult& result) = 0;
};

/// Runs them from the centroids that `clusters` has.
KmeansResult run_lloyd(const KmeansSettings& settings, GpuClusters& clusters);

}  // namespace warpdex::vector
