// Search of an inverted file: only the lists whose centroids are nearest are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// An inverted file in memory: vectors in lists, each beside the centroid that is nearest to its
/// vectors. Owns nothing.
struct IvfVectors {
  /// List after list, in each by row; row_numbers says which rows they are.
  FlatVectors vectors;
  /// Where each list begins among the vectors: lists + 1 numbers, ascending, from 0.
  std::span<const std::uint64_t> begins = {};
  /// One for each list. Their metric decides which lists are nearest to a query: kInnerProduct if
  /// that is the vectors' metric, else kL2.
  FlatVectors centroids;

  std::size_t lists() const { return begins.size() - 1; }
};

/// Compares a query with all vectors of the lists that it *probes*: those of the nearest centroids.
/// What it finds there is exact, with the distances of FlatSearcher; with as many probes as lists,
/// so is the answer. *Billion-scale similarity search with GPUs*, section 2 (inverted file), with
/// whole vectors in the place of codes. Immutable: any number of threads may search at once.
///
/// Lists are taken one by one, each with all queries that probe it, so that a list is read once in
/// a batch.
class IvfSearcher {
 public:
  /// `vectors` must outlive it. `threads` of 0: default_threads().
  explicit IvfSearcher(const IvfVectors& vectors, std::size_t threads = 0);

  /// The k nearest vectors of each query in the lists that it probes, of those that `filter`
  /// allows. `probes` is from 1 to the number of lists; k from 1 to the number of rows; where the
  /// lists have fewer, places are missing. Throws as FlatSearcher::nearest() does, and UsageError
  /// for another number of probes.
  Neighbors nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                    const RowFilter* filter = nullptr) const;

  /// All rows within `radius` in the lists that each query probes. Throws likewise.
  RangeNeighbors within(std::span<const float> queries, float radius, std::size_t probes,
                        const RowFilter* filter = nullptr) const;

 private:
  IvfVectors vectors_;
  FlatSearcher coarse_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
