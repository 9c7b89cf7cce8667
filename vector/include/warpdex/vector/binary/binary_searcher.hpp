// Search of XOR-friendly binary codes on the CPU: all codes are compared, and the best may be
// ranked again by the vectors themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// Codes in memory. Owns nothing.
struct BinaryVectors {
  Metric metric = Metric::kL2;
  BinaryQuantizer quantizer = {};
  std::size_t rows = 0;
  /// Groups of 32 codes in the order of rows. docs/vector.md has the layout.
  std::span<const std::uint8_t> codes = {};
  /// For kL2 the squared length of each vector less the quantizer's centre.
  std::span<const float> terms = {};
  /// With corrections, those of each vector; else empty.
  std::span<const float> factors = {};
  std::span<const float> residuals = {};
  /// The vectors themselves; `vectors.vectors.data` is null where they were not kept.
  FlatVectors vectors = {};

  bool keeps_vectors() const { return vectors.vectors.data != nullptr; }
};

/// Compares a query's code with all codes. *XOR-Friendly Binary Quantization*, section 4.
/// Immutable: any number of threads may search at once.
///
/// A product of codes is a whole number, from XOR and the counts of bits. The distance follows from
/// it by one multiplication and one addition in float (docs/vector.md), so it depends on nothing
/// but the query and the vector. Answers are ranked by it, equal ones by row.
class BinarySearcher {
 public:
  /// `vectors` must outlive it. `threads` of 0: default_threads().
  explicit BinarySearcher(const BinaryVectors& vectors, std::size_t threads = 0);

  /// The k vectors of each query with the smallest distances by their codes, among those that
  /// `filter` allows. With a `depth.refine` of 1 or more that many are taken by their codes, or k
  /// if that is more, and all others that are not farther than the last of these by more than
  /// `depth.extra` steps; they are ranked anew by their exact distances, which are those of
  /// FlatSearcher. Throws as FlatSearcher::nearest() does, and UsageError for bits out of range and
  /// for refining where the vectors were not kept. O(queries * rows * code_words() * query bits).
  /// Memory: up to 2 * max(k, refine) keys a query, or all candidates.
  Neighbors nearest(std::span<const float> queries, std::size_t k, const BinaryDepth& depth = {},
                    const RowFilter* filter = nullptr) const;

  /// All rows within `radius`, by their codes. Throws likewise.
  RangeNeighbors within(std::span<const float> queries, float radius, const BinaryDepth& depth = {},
                        const RowFilter* filter = nullptr) const;

 private:
  BinaryVectors vectors_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
