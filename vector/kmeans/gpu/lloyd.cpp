// The loop, and the callback after each iteration.
#include "kmeans/gpu/lloyd.hpp"

#include <algorithm>
#include <utility>

namespace warpdex::vector {
namespace {

/// Returns whether there is reason for another iteration.
bool iterate(std::size_t number, const KmeansSettings& settings, GpuClusters& clusters,
             Random& random) {
  const AssignmentFigures found = clusters.assign(false);
  clusters.move_centroids();
  std::vector<Repair> repairs;
  if (number < settings.iterations) repairs = plan_repairs(found.sizes, random);
  if (!repairs.empty()) clusters.repair(repairs);
  if (settings.on_iteration) {
    settings.on_iteration({number, found.objective, repairs.size(),
                           *std::max_element(found.sizes.begin(), found.sizes.end())});
  }
  return found.changed > 0 || !repairs.empty();
}

}  // namespace

KmeansResult run_lloyd(const KmeansSettings& settings, GpuClusters& clusters) {
  Random random(settings.seed + 1);
  KmeansResult result;
  result.iterations = 1;
  while (iterate(result.iterations, settings, clusters, random) &&
         result.iterations < settings.iterations) {
    ++result.iterations;
  }
  AssignmentFigures found = clusters.assign(true);
  result.objective = found.objective;
  result.sizes = std::move(found.sizes);
  clusters.fetch(result);
  return result;
}

}  // namespace warpdex::vector
