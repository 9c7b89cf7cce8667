// What exact search reads: vectors, and what bounds the errors of fast products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// Vectors to be searched. Owns nothing.
struct FlatVectors {
  Metric metric = Metric::kL2;
  /// For kCosine, of length 1 each, or 0.
  VectorView vectors = {};
  /// For kL2 a point amidst the vectors, of `dimension` components. Subtracting it from all vectors
  /// changes no distance, and products of the differences lose fewer digits. Empty: the origin.
  std::span<const float> centre = {};
  /// For each row, as row_norm() computes it: for kL2 the squared length of the row less the
  /// centre, else its length.
  std::span<const float> norms = {};
  /// For each vector the row that answers and filters name, if vectors do not lie in the order of
  /// rows. Empty: they do.
  std::span<const std::uint32_t> row_numbers = {};

  std::uint32_t row_number(std::size_t position) const {
    return row_numbers.empty() ? static_cast<std::uint32_t>(position) : row_numbers[position];
  }
};

/// The norm of one row for FlatVectors. `row` has the components as they are stored, as floats;
/// `centre` has as many, or none.
float row_norm(Metric metric, std::span<const float> row, std::span<const float> centre);

/// Scales a vector to length 1; one of zeros stays as it is. The components are those of the exact
/// quotient up to 1 unit in the last place.
void normalize(std::span<float> vector);

}  // namespace warpdex::vector
