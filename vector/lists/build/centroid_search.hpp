// The nearest centroids of rows, on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

class CentroidSearch {
 public:
  /// `centre` is a point amidst the centroids, or empty. All must outlive it.
  CentroidSearch(const Matrix<float>& centroids, std::span<const float> centre,
                 std::size_t threads);

  /// Sets lists[i] to the nearest centroid of row first + i, by canonical distances, ties to the
  /// smaller number. Throws InputError, with the row, for what is not finite.
  /// O(count * centroids * dimension) arithmetic.
  void nearest(const VectorView& rows, std::size_t first, std::size_t count,
               std::uint32_t* lists) const;

 private:
  std::vector<float> norms_;
  FlatSearcher searcher_;
};

}  // namespace warpdex::vector
