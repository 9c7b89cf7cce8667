// The vectors that the codes of an index stand for.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

class RowPlaces;

/// Decodes the codes of an index that has_codes(): gives an approximation of each vector, even if
/// the vectors themselves were not kept. A code of kIvfPq stands for its list's centroid and its
/// codewords, rotated back; a code of kBinary for the middles of its cells (with corrections, times
/// the vector's factor), rotated back, and the centre. For kCosine vectors of length 1 are
/// approximated. Any number of threads may use it. Takes 4 bytes a row where vectors lie in lists.
class ReconstructedRows {
 public:
  /// `index` must outlive it. Throws UsageError for an index without codes.
  explicit ReconstructedRows(const VectorIndex& index);

  std::size_t dimension() const { return dimension_; }
  /// The approximation of a row that is stored: `dimension` floats. Throws UsageError for another.
  /// O(dimension), with a rotation O(dimension^2).
  void copy(std::size_t row, float* out) const;

 private:
  std::size_t dimension_;
  std::shared_ptr<RowPlaces> places_;
};

}  // namespace warpdex::vector
