// Product quantisation: a vector as a few bytes, each part of it as the number of a codeword.
// *Billion-scale similarity search with GPUs*, section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpdex::vector {

/// Cuts a vector, rotated first if there is a rotation, into parts() runs of components, and
/// replaces each run by the number of its nearest codeword. A rotation may have fewer rows than
/// vectors have components: it then leaves out what lies outside of the space of its rows. The runs
/// have nearly equal lengths: run p has the components [part_begin(p), part_begin(p + 1)). Owns
/// nothing.
///
/// A code has a byte for each run of 8 bits; of 4 bits it has two runs in a byte, the first in the
/// low half.
struct ProductQuantizer {
  std::size_t dimension = 0;  ///< of a vector
  std::size_t bytes = 0;      ///< of a code: 1 to max_code_bytes(coded_dimension())
  std::size_t bits = 8;       ///< of a run's codeword: 8 or 4
  /// coded_dimension() * codewords() floats: component c of codeword w of c's run is at
  /// [c * codewords() + w].
  std::span<const float> codebooks = {};
  /// Empty, or up to `dimension` rows of `dimension` floats, of length 1 and orthogonal. Component
  /// c of a rotated vector is the product of row c and the vector, in the canonical order of
  /// arithmetic.
  std::span<const float> rotation = {};

  std::size_t code_bytes() const { return bytes; }
  std::size_t codewords() const { return std::size_t{1} << bits; }
  std::size_t parts() const { return bytes * 8 / bits; }
  /// Components of a rotated vector.
  std::size_t coded_dimension() const {
    return rotation.empty() ? dimension : rotation.size() / dimension;
  }
  std::size_t part_begin(std::size_t part) const { return part * coded_dimension() / parts(); }
};

/// The values of a byte: the number of entries of a byte's table.
inline constexpr std::size_t kByteValues = 256;

/// The longest code of vectors of that dimension: one run for each component.
constexpr std::size_t max_code_bytes(std::size_t dimension, std::size_t bits) {
  return (dimension * bits + 7) / 8;
}

/// Rotates a vector, or copies it if there is no rotation. `vector` has zeros up to a multiple of
/// 32 floats, `rotated` has coded_dimension() floats. O(dimension * coded_dimension()).
void rotate(const ProductQuantizer& quantizer, const float* vector, float* rotated);

/// The code of a vector that is rotated already: `bytes` bytes. Of each run, the codeword with the
/// smallest sum of fma(x - y, x - y, sum) in float, over the run's components in their order; of
/// equal ones the first. So the code does not depend on the processor. O(coded_dimension() *
/// codewords).
void encode(const ProductQuantizer& quantizer, const float* rotated, std::uint8_t* code);

/// The number of the codeword that a code has for a run.
inline std::size_t codeword(const ProductQuantizer& quantizer, const std::uint8_t* code,
                            std::size_t part) {
  if (quantizer.bits == 8) return code[part];
  return code[part / 2] >> (part % 2 * 4) & 15;
}

/// The codewords of a code, one after the other: coded_dimension() floats, rotated.
void decode(const ProductQuantizer& quantizer, const std::uint8_t* code, float* rotated);

/// tables[b * 256 + v] is the product of a rotated vector's runs of byte b with the codewords that
/// the value v stands for: of each run the sum of fma(x, y, sum) in float, in the order of
/// components; of 4 bits the sums of both runs are added. `tables` has bytes * 256 floats.
void byte_tables(const ProductQuantizer& quantizer, const float* rotated, float* tables);

}  // namespace warpdex::vector
