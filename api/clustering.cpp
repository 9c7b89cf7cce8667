#include "warpdex/clustering.hpp"

#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex {

vector::KmeansResult kmeans(std::span<const float> points, std::size_t dimension,
                            const vector::KmeansSettings& settings, const std::optional<Gpu>& gpu) {
  if (dimension == 0 || points.size() % dimension != 0) {
    throw UsageError("the points are no rows of " + std::to_string(dimension) +
                     " components; give as many as rows times components");
  }
  const vector::Matrix<float> matrix{
      points.size() / dimension, dimension, {points.begin(), points.end()}};
  return gpu ? vector::kmeans_on_gpu(matrix, settings, gpu->resources())
             : vector::kmeans(matrix, settings);
}

}  // namespace warpdex
