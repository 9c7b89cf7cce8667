// Search of an inverted file of binary codes: distances come from codes, those of the best may come
// from the vectors themselves.
#pragma once

#include <cstddef>
#include <span>

#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// An inverted file of binary codes in memory. Owns nothing.
struct IvfBinaryVectors : CodeLists {
  /// Its centre is subtracted from queries: for kL2 a point amidst the vectors, else none.
  BinaryQuantizer quantizer = {};
  /// With corrections, the factor of each vector; else empty.
  std::span<const float> factors = {};
};

/// Compares a query's code with the codes of the lists that it probes. *XOR-Friendly Binary
/// Quantization*, section 4, within the lists of *Billion-scale similarity search with GPUs*,
/// section 5. Immutable: any number of threads may search at once.
///
/// With c the centroid, y the residual of a vector, and m the centre, |q - c - y|^2 is
/// |q - c|^2 + (|y|^2 + 2 y·(c - m)) - 2 y·(q - m). The first term is one of the query and the
/// list, the second is kept with each vector, and the third comes from the codes of y and q - m: so
/// a query has one code for all lists. Products are q·c + q·y likewise.
///
/// The distance depends on nothing but the query and the vector (docs/vector.md). Answers are
/// ranked by it, equal ones by row.
class IvfBinarySearcher {
 public:
  /// `vectors` must outlive it. `threads` of 0: default_threads().
  explicit IvfBinarySearcher(const IvfBinaryVectors& vectors, std::size_t threads = 0);

  /// The k vectors with the smallest distances by their codes, of the `probes` lists whose
  /// centroids are nearest, among those that `filter` allows. With a `depth.refine` of 1 or more
  /// that many are taken by their codes, or k if that is more, and ranked anew by their exact
  /// distances, which are those of FlatSearcher. Fewer than k answers where lists have fewer.
  /// Throws as FlatSearcher::nearest() does, and UsageError for probes and bits out of range, for
  /// refining where the vectors were not kept, and for an extra distance, which only codes
  /// without lists have. O(queries * (lists * dimension + vectors of the lists * code_words()
  /// * query bits)).
  Neighbors nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                    const BinaryDepth& depth = {}, const RowFilter* filter = nullptr) const;

  /// All rows of these lists within `radius`, by their codes. Throws likewise.
  RangeNeighbors within(std::span<const float> queries, float radius, std::size_t probes,
                        const BinaryDepth& depth = {}, const RowFilter* filter = nullptr) const;

 private:
  IvfBinaryVectors vectors_;
  FlatSearcher coarse_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
