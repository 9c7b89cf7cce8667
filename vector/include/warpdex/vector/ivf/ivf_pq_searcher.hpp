// Search of an inverted file of codes: distances come from codes, those of the best may come from
// the vectors themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// What inverted files of codes have in common. Owns nothing.
struct CodeLists {
  Metric metric = Metric::kL2;
  /// Groups of 32 codes of residuals (the vectors less their centroids), list after list.
  /// docs/vector.md has the layout.
  std::span<const std::uint8_t> codes = {};
  /// For kL2, the part of a vector's distance that comes neither from its code nor from the
  /// centroid; else empty.
  std::span<const float> terms = {};
  /// The row of each vector; list after list, in each ascending.
  std::span<const std::uint32_t> row_numbers = {};
  /// Where each list begins among row_numbers and terms, and among the groups: lists + 1 numbers
  /// each, ascending, from 0.
  std::span<const std::uint64_t> begins = {};
  std::span<const std::uint64_t> group_begins = {};
  /// As in IvfVectors.
  FlatVectors centroids = {};
  /// The vectors themselves in the order of rows; `vectors.vectors.data` is null where they were
  /// not kept.
  FlatVectors vectors = {};

  std::size_t rows() const { return row_numbers.size(); }
  std::size_t lists() const { return begins.size() - 1; }
  bool keeps_vectors() const { return vectors.vectors.data != nullptr; }
};

/// An inverted file of product codes in memory.
struct IvfPqVectors : CodeLists {
  ProductQuantizer quantizer = {};
  /// For kL2 a point amidst the vectors, else empty.
  std::span<const float> centre = {};
};

/// Compares a query with the codes of the lists that it probes. *Billion-scale similarity search
/// with GPUs*, section 5 (IVFADC). Immutable: any number of threads may search at once.
///
/// With q1 the centroid and y the decoded residual of a vector, |x - q1 - y|^2 is
/// |x - q1|^2 + (|y|^2 + 2 q1·y) - 2 x·y. The first term is one of the query and the list. The
/// second is kept with each vector, summed up. So the tables of the third depend on the query
/// alone, and are made once for all lists.
///
/// Such a distance is one sum in float, in the order that docs/vector.md has: it does not depend on
/// the processor, the number of threads or what else is in a batch. Answers are ranked by it, equal
/// ones by row.
class IvfPqSearcher {
 public:
  /// `vectors` must outlive it. `threads` of 0: default_threads().
  explicit IvfPqSearcher(const IvfPqVectors& vectors, std::size_t threads = 0);

  /// The k vectors of each query with the smallest distances by their codes, among the lists that
  /// it probes and that `filter` allows. With a `refine` of 1 or more that many are taken by their
  /// codes, or k if that is more, and ranked anew by their exact distances, which are those of
  /// FlatSearcher. Throws as IvfSearcher::nearest() does, and UsageError for refining where the
  /// vectors were not kept. Memory: up to 2 * max(k, refine) keys a query, and the tables, 1 KiB a
  /// byte of the codes, for each thread.
  Neighbors nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                    std::size_t refine = 0, const RowFilter* filter = nullptr) const;

  /// All rows within `radius`, by their codes, in the lists that each query probes. Throws
  /// likewise.
  RangeNeighbors within(std::span<const float> queries, float radius, std::size_t probes,
                        const RowFilter* filter = nullptr) const;

 private:
  IvfPqVectors vectors_;
  FlatSearcher coarse_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
