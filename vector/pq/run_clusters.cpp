// The first and the last codewords of a training.
#include "pq/run_clusters.hpp"

#include <algorithm>
#include <limits>

#include "kmeans/kmeans_input.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {

std::size_t run_clusters(const ProductQuantizer& shape, std::size_t points) {
  KmeansSettings settings;
  settings.clusters = std::min(shape.codewords(), points);
  check_kmeans(points, settings);
  return settings.clusters;
}

std::vector<float> draw_codebooks(const Matrix<float>& points, const ProductQuantizer& shape,
                                  std::size_t clusters, std::uint64_t seed) {
  const std::size_t count = shape.codewords();
  std::vector<float> codebooks(points.columns * count, std::numeric_limits<float>::infinity());
  for (std::size_t part = 0; part < shape.parts(); ++part) {
    const std::vector<std::uint64_t> drawn = sample_rows(points.rows, clusters, seed + part);
    for (std::size_t c = shape.part_begin(part); c < shape.part_begin(part + 1); ++c) {
      for (std::size_t word = 0; word < clusters; ++word) {
        codebooks[c * count + word] = points.row(drawn[word])[c];
      }
    }
  }
  return codebooks;
}

void fill_codebooks(const ProductQuantizer& shape, std::size_t clusters,
                    std::span<float> codebooks) {
  const std::size_t count = shape.codewords();
  for (std::size_t c = 0; c < shape.dimension; ++c) {
    const std::span<float> words = codebooks.subspan(c * count, count);
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(clusters), words.end(), words[0]);
  }
}

}  // namespace warpdex::vector
