// Codes of residuals, that is of vectors less their centroids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

inline constexpr double kMaxLengthRatio = 16;

/// Encodes vectors of one list after the other. A vector's code is that of its residual: the vector
/// less the centroid, rotated. One thread's.
class ResidualEncoder {
 public:
  /// `centre` is that of FlatVectors, empty for the origin; both must outlive it.
  ResidualEncoder(const ProductQuantizer& quantizer, std::span<const float> centre);

  /// The centroid of the vectors that follow.
  void set_centroid(std::span<const float> centroid);

  /// Sets the code of a vector, quantizer.bytes bytes.
  void encode(std::span<const float> vector, std::uint8_t* code);

  /// What of the vector's squared distance depends on its code and its list alone: with y its
  /// decoded residual, c the centroid and m the centre, |y|^2 + 2 y·R(c - m). In double precision,
  /// in the order of components, then rounded.
  float term(const std::uint8_t* code);

  /// For products, the length of the vector over that of what its code stands for: with y and c as
  /// above, without a centre, |vector| / |R'y + c|, whose square is |y + R c|^2 + |c|^2 - |R c|^2.
  /// Likewise in double precision; from 1/16 to 16 (kMaxLengthRatio), and 1 where one of them has
  /// no length.
  float length_ratio(std::span<const float> vector, const std::uint8_t* code);

 private:
  const ProductQuantizer& quantizer_;
  std::span<const float> centre_;
  std::vector<float> centroid_;
  std::vector<float> rotated_centroid_;  ///< less the centre
  /// The square of what of it lies outside of the space of the rotation's rows: |c|^2 - |R c|^2, 0
  /// or more; 0 where the rotation has as many rows as columns.
  double outside_ = 0;
  std::vector<float> residual_;  ///< padded with zeros
  std::vector<float> rotated_;
};

}  // namespace warpdex::vector
