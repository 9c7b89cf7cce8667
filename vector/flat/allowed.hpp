// Positions of vectors that a filter of rows allows.
#pragma once

#include <algorithm>
#include <cstddef>

#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// The first position in [position, last) whose row `filter` (null: allows all) allows, or `last`.
inline std::size_t next_allowed(const FlatVectors& vectors, const RowFilter* filter,
                                std::size_t position, std::size_t last) {
  if (filter == nullptr) return std::min(position, last);
  if (vectors.row_numbers.empty()) return std::min(filter->next_allowed(position), last);
  while (position < last && !filter->contains(vectors.row_numbers[position])) ++position;
  return position;
}

/// The first position in [position, last) whose row it does not allow, or `last`.
inline std::size_t next_refused(const FlatVectors& vectors, const RowFilter* filter,
                                std::size_t position, std::size_t last) {
  if (filter == nullptr) return last;
  if (vectors.row_numbers.empty()) return std::min(filter->next_refused(position), last);
  while (position < last && filter->contains(vectors.row_numbers[position])) ++position;
  return position;
}

}  // namespace warpdex::vector
