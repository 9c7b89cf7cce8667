// Codes of a byte a component, of vectors in lists or of all vectors as one list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

/// How the components of a list's residuals become bytes, and what a byte stands for.
struct ByteScale {
  float offset = 0;  ///< what a byte of 0 stands for
  float scale = 1;   ///< of a step; a normal number above 0

  /// What is nearest to a component, of -128 to 127; of two as near the even one.
  std::int8_t encode(float component) const;
  float decode(std::int8_t byte) const { return offset + scale * static_cast<float>(byte); }
};

/// A code has a byte of each component. Owns nothing.
struct Sq8Quantizer {
  std::size_t dimension = 0;
  std::span<const ByteScale> scales = {};  ///< of each list

  std::size_t code_bytes() const { return dimension; }
  /// For the vectors of one list.
  Sq8Quantizer of_list(std::size_t list) const { return {dimension, scales.subspan(list, 1)}; }
};

/// Owns what a quantizer refers to.
struct Sq8Training {
  std::vector<ByteScale> scales;

  Sq8Quantizer quantizer(std::size_t dimension) const { return {dimension, scales}; }
  /// As searches of lists take it.
  Sq8Quantizer of_queries(std::size_t dimension, std::span<const float> /*centre*/) const {
    return quantizer(dimension);
  }
};

/// With c the centroid, y the decoded residual of a vector, q the query and m the centre,
/// |q - c - y|^2 is |q - c|^2 + (|y|^2 + 2 y·(c - m)) - 2 y·(q - m), as for product codes. A query
/// becomes bytes, too: q - m is about t times e. With o and s the offset and the scale of the list
/// and b the bytes of a code, y·(q - m) is o times the sum of q - m, plus s t times b·e, which is a
/// whole number. Products are q·c + q·y likewise, without a centre.
struct Sq8Coding {
  using Quantizer = Sq8Quantizer;
  using Trained = Sq8Training;
  class ListScan;
  class GpuSearch;
  using ListSearch = CodeListSearch<Sq8Coding>;
};

}  // namespace warpdex::vector
