// XOR-friendly binary quantisation: a component as a few bits whose products are counted by XOR.
// *XOR-Friendly Binary Quantization*, section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpdex::vector {

/// The centre is taken from a vector, and what is left is rotated. A component y then lies in one
/// of 2^bits cells of [-scale, scale], all of one width; what is outside of the range lies in the
/// first or the last cell. The number u of the cell is the component's code. It stands for
/// scale * (2u + 1 - 2^bits) / 2^bits, the middle of the cell: a sum of the signs of u's bits
/// times powers of two. Owns nothing.
///
/// With corrections, `scale` is for vectors of length 1. Each vector has its own scale: `scale`
/// times the length of the vector less the centre, times one of several factors around 1, the one
/// for which the code's direction is nearest to the vector's. *RaBitQ*, Gao and Long, SIGMOD 2024
/// and 2025.
///
/// A vector's code is cut into words of 32 bits: for components 0 to 31 the highest bit of each,
/// component 0 in the lowest bit of the word, then the next lower bit of each, and so on; then
/// components 32 to 63. Components past the dimension are 0.
struct BinaryQuantizer {
  std::size_t dimension = 0;
  std::size_t bits = 4;
  float scale = 1;
  bool is_corrected = false;
  std::span<const float> centre = {};  ///< `dimension` floats; empty: the origin
  /// Empty, or `dimension` rows of `dimension` floats. Component c of a rotated vector is the
  /// product of row c and the vector, in the canonical order of arithmetic.
  std::span<const float> rotation = {};
  /// Whether the centre is taken from queries as well (docs/vector.md). It is, but for products in
  /// indexes of version 2 of the format.
  bool moves_queries = true;

  /// Words that have one bit of each component.
  std::size_t plane_words() const { return (dimension + 31) / 32; }
  std::size_t code_words() const { return plane_words() * bits; }
  std::size_t code_bytes() const { return code_words() * sizeof(std::uint32_t); }
};

/// Makes distances by the code of a vector y right on average. With c the whole numbers 2u + 1 -
/// 2^bits of the code, y is about factor * c, and what is left is orthogonal to y.
struct CodeCorrection {
  float factor = 0;    ///< |y|^2 / (c·y)
  float residual = 0;  ///< |y - factor * c|, rounded up
};

/// The code of a vector: code_words() words; returns its correction, if there are corrections.
/// `vector` has zeros up to a multiple of 32 floats; it is overwritten. `rotated` has room for as
/// many floats, and is overwritten. The code is the same on every processor. O(dimension * bits),
/// with a rotation O(dimension^2).
CodeCorrection encode(const BinaryQuantizer& quantizer, float* vector, float* rotated,
                      std::uint32_t* code);

}  // namespace warpdex::vector
