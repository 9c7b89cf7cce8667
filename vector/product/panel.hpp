// How rows lie in a panel.
#pragma once

#include <cstddef>

namespace warpdex::vector {

/// Writes a row into its place of a panel: component c to place[c * width], times `factor`, after
/// the centre's was taken from it (null: the origin).
inline void pack_row(const float* row, const float* centre, float factor, std::size_t dimension,
                     std::size_t width, float* place) {
  if (centre == nullptr) {
    for (std::size_t c = 0; c < dimension; ++c) place[c * width] = factor * row[c];
  } else {
    for (std::size_t c = 0; c < dimension; ++c) place[c * width] = factor * (row[c] - centre[c]);
  }
}

}  // namespace warpdex::vector
