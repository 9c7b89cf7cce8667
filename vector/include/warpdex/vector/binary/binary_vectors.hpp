// XOR-friendly binary codes of all vectors, or of those in lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

/// Owns what a quantizer refers to.
struct BinaryTraining {
  std::size_t bits = 4;
  std::vector<float> centre;
  std::vector<float> rotation;  ///< or none
  float scale = 1;
  bool is_corrected = false;

  BinaryQuantizer quantizer(std::size_t dimension) const {
    return {dimension, bits, scale, is_corrected, centre, rotation};
  }
  /// As searches of lists take it, with a centre of the vectors.
  BinaryQuantizer of_queries(std::size_t dimension, std::span<const float> middle) const {
    BinaryQuantizer made = quantizer(dimension);
    if (centre.empty()) made.centre = middle;
    return made;
  }
};

/// Codes in memory, without lists. Owns nothing. A query's code is compared with all codes.
/// *XOR-Friendly Binary Quantization*, section 4.
///
/// A product of codes is a whole number, from XOR and the counts of bits. The distance follows from
/// it by one multiplication and one addition in float (docs/vector.md), so it depends on nothing
/// but the query and the vector. Answers are ranked by it, equal ones by row.
///
/// To be refined, the nearest by codes are taken, and all others that are not farther than the last
/// of these by more than `extra` steps; they are ranked anew by their exact distances, which are
/// those of FlatSearcher.
struct BinaryVectors {
  Metric metric = Metric::kL2;
  BinaryQuantizer quantizer = {};
  std::size_t rows = 0;
  /// Groups of 32 codes in the order of rows. docs/vector.md has the layout.
  std::span<const std::uint8_t> codes = {};
  /// With y a vector less the quantizer's centre m, for kL2 |y|^2, else -(m·y). Empty for products
  /// where the quantizer does not move queries.
  std::span<const float> terms = {};
  /// With corrections, those of each vector; else empty.
  std::span<const float> factors = {};
  std::span<const float> residuals = {};
  /// The vectors themselves; `vectors.vectors.data` is null where they were not kept.
  FlatVectors vectors = {};

  bool keeps_vectors() const { return vectors.vectors.data != nullptr; }
};

/// The codes of lists. With c the centroid, y the residual of a vector, and m the centre,
/// |q - c - y|^2 is |q - c|^2 + (|y|^2 + 2 y·(c - m)) - 2 y·(q - m). The first term is one of the
/// query and the list, the second is kept with each vector, and the third comes from the codes of y
/// and q - m: so a query has one code for all lists. With a share s of m in a query, its product
/// with a vector is q·c + y·(q - s m) + s m·y; -(m·y) is kept.
///
/// The quantizer's centre is m. It is taken from queries, not from residuals; of products in
/// indexes of version 2 of the format there is none. With corrections, the factor of a vector is
/// that of its code.
struct BinaryCoding {
  static constexpr bool kHasProductTerms = true;
  using Quantizer = BinaryQuantizer;
  using Trained = BinaryTraining;
  class ListScan;
  class GpuSearch;
  using ListSearch = CodeListSearch<BinaryCoding>;
};

}  // namespace warpdex::vector
