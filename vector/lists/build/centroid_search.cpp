// An exact search over the centroids.
#include "lists/build/centroid_search.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kSearchedRows = 16'384;

std::vector<float> norms_of(const Matrix<float>& centroids, std::span<const float> centre) {
  std::vector<float> norms;
  for (std::size_t i = 0; i < centroids.rows; ++i) {
    norms.push_back(row_norm(Metric::kL2, centroids.row(i), centre));
  }
  return norms;
}

void check_finite(std::span<const float> row, std::size_t number) {
  const bool is_finite =
      std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); });
  if (is_finite) return;
  throw InputError("row " + std::to_string(number) +
                   " (counted from 0) has a component that is no finite number");
}

}  // namespace

CentroidSearch::CentroidSearch(const Matrix<float>& centroids, std::span<const float> centre,
                               std::size_t threads)
    : norms_(norms_of(centroids, centre)),
      searcher_({Metric::kL2,
                 {centroids.values.data(), Store::kFloat, centroids.rows, centroids.columns,
                  centroids.columns},
                 centre,
                 norms_},
                threads) {}

void CentroidSearch::nearest(const VectorView& rows, std::size_t first, std::size_t count,
                             std::uint32_t* lists) const {
  std::vector<float> part;
  for (std::size_t begin = 0; begin < count; begin += kSearchedRows) {
    const std::size_t size = std::min(kSearchedRows, count - begin);
    part.resize(size * rows.dimension);
    for (std::size_t i = 0; i < size; ++i) {
      const std::span<float> row = std::span(part).subspan(i * rows.dimension, rows.dimension);
      copy_row(rows, first + begin + i, row.data());
      check_finite(row, first + begin + i);
    }
    const Neighbors nearest = searcher_.nearest(part, 1);
    std::copy(nearest.rows.begin(), nearest.rows.end(), lists + begin);
  }
}

}  // namespace warpdex::vector
