// k-means of each run; the threads share the runs.
#include "pq/train.hpp"

#include <algorithm>

#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

/// Some of the components of all points.
Matrix<float> copy_columns(const Matrix<float>& points, std::size_t first, std::size_t last) {
  Matrix<float> columns{points.rows, last - first, {}};
  columns.values.reserve(points.rows * columns.columns);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const std::span<const float> row = points.row(i).subspan(first, last - first);
    columns.values.insert(columns.values.end(), row.begin(), row.end());
  }
  return columns;
}

}  // namespace

std::vector<float> train_codebooks(const Matrix<float>& points, const PqTraining& training) {
  const ProductQuantizer shape{points.columns, training.bytes, training.bits};
  const std::size_t count = shape.codewords();
  std::vector<float> codebooks(points.columns * count);
  const auto train_part = [&](std::size_t part) {
    const std::size_t begin = shape.part_begin(part);
    const std::size_t end = shape.part_begin(part + 1);
    if (begin == end) return;
    KmeansSettings settings;
    settings.clusters = std::min<std::size_t>(count, points.rows);
    settings.iterations = training.iterations;
    settings.seed = training.seed + part;
    settings.threads = 1;
    const Matrix<float> centroids = kmeans(copy_columns(points, begin, end), settings).centroids;
    for (std::size_t word = 0; word < count; ++word) {
      const std::size_t centroid = word < centroids.rows ? word : 0;
      for (std::size_t c = begin; c < end; ++c) {
        codebooks[c * count + word] = centroids.row(centroid)[c - begin];
      }
    }
  };
  const std::size_t threads = training.threads == 0 ? default_threads() : training.threads;
  for (std::size_t first = 0; first < shape.parts(); first += threads) {
    const std::size_t together = std::min(threads, shape.parts() - first);
    parallel_for(threads, together,
                 [&](std::size_t /*thread*/, std::size_t i) { train_part(first + i); });
    if (training.on_parts) training.on_parts(first + together, shape.parts());
  }
  return codebooks;
}

}  // namespace warpdex::vector
