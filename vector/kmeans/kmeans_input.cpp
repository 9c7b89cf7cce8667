// Checks of arguments.
#include "kmeans/kmeans_input.hpp"

#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

void check_kmeans(std::size_t points, const KmeansSettings& settings) {
  if (points == 0) throw UsageError("there are no vectors to find clusters of");
  if (settings.clusters == 0 || settings.clusters > points) {
    throw UsageError("there are " + std::to_string(points) + " vectors; ask for 1 to " +
                     std::to_string(points) + " clusters, not " +
                     std::to_string(settings.clusters));
  }
  if (settings.iterations == 0) throw UsageError("k-means takes 1 iteration or more");
  if (points > kMaxRows) {
    throw UsageError("k-means takes at most " + std::to_string(kMaxRows) + " vectors, not " +
                     std::to_string(points) + "; train on a sample");
  }
}

void refuse_far_point(std::size_t point) {
  throw InputError("vector " + std::to_string(point) +
                   " is too far from the mean of all for k-means, which takes distances up to "
                   "2e17; scale the vectors down");
}

}  // namespace warpdex::vector
