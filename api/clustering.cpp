#include "warpdex/rows.hpp"

#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex {

vector::KmeansResult kmeans(const vector::Matrix<float>& points,
                            const vector::KmeansSettings& settings, const std::vector<Gpu>& gpus) {
  if (gpus.empty()) return vector::kmeans(points, settings);
  std::vector<Resources*> all;
  for (const Gpu& gpu : gpus) all.push_back(&gpu.resources());
  return vector::kmeans_on_gpus(points, settings, all);
}

vector::KmeansResult kmeans(std::span<const float> points, std::size_t dimension,
                            const vector::KmeansSettings& settings, const std::vector<Gpu>& gpus) {
  if (dimension == 0 || points.size() % dimension != 0) {
    throw UsageError("the points are no rows of " + std::to_string(dimension) +
                     " components; give as many as rows times components");
  }
  const vector::Matrix<float> matrix{
      points.size() / dimension, dimension, {points.begin(), points.end()}};
  return kmeans(matrix, settings, gpus);
}

}  // namespace warpdex
