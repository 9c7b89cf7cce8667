// Where the vector of each row lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

/// The other direction of FlatVectors::row_number(). O(rows); 4 bytes a row where vectors lie in
/// another order than that of their rows, else none.
class RowPositions {
 public:
  explicit RowPositions(const FlatVectors& vectors) : positions_(vectors.row_numbers.size()) {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      positions_[vectors.row_numbers[i]] = static_cast<std::uint32_t>(i);
    }
  }
  std::size_t of(std::size_t row) const { return positions_.empty() ? row : positions_[row]; }

 private:
  std::vector<std::uint32_t> positions_;
};

}  // namespace warpdex::vector
