// One interface for all searches of vectors: of any kind of index, on any processor, of a part of
// an index or of all its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// What has been searched by products on GPUs so far, by all threads. A query counts once for each
/// part (shard, page) for which products were made.
struct GpuFigures {
  std::uint64_t queries = 0;  ///< that products were made for
  /// Of these, the queries whose answers the products did not settle, so that all rows were
  /// compared in floats.
  std::uint64_t uncertified = 0;
};

/// A search of rows 0 to rows() - 1. Any number of threads may search at once. On a GPU, each takes
/// its own stream and scratch memory, all within one budget; if too little is left, a search waits
/// until another ends.
class VectorSearcher {
 public:
  virtual ~VectorSearcher() = default;

  virtual Metric metric() const = 0;
  virtual std::size_t dimension() const = 0;
  virtual std::size_t rows() const = 0;

  /// The k nearest of each query among the rows that options.filter allows, best first, equal ones
  /// by row. `queries` are rows of dimension() floats, one after the other; for kCosine of any
  /// length. k is from 1 to rows(); where too few rows are found, places are missing. Throws
  /// UsageError for another k, for queries whose size is no multiple of the dimension, for a filter
  /// of another number of rows, with query and column for NaN and infinite components, for probes
  /// and bits out of range, and for refining where the vectors were not kept.
  virtual Neighbors nearest(std::span<const float> queries, std::size_t k,
                            const SearchOptions& options = {}) const = 0;

  /// All rows within `radius` of each query: for kL2 with a squared distance of at most `radius`,
  /// else with a product of at least `radius`; by their codes where there are codes, unless what
  /// searches says more. Throws likewise, and UsageError for a radius that is NaN.
  virtual RangeNeighbors within(std::span<const float> queries, float radius,
                                const SearchOptions& options = {}) const = 0;

  /// nearest() with queries and answers in the memory of the GPU that searches: `queries` are count
  /// * dimension floats, `rows` and `distances` have room for count * k. Returns when the answers
  /// are there. A query with a component that is not finite has distances that are not finite
  /// either. The work that writes the queries must have ended before the call. options.filter is
  /// not read. False, and nothing is done, where the searcher cannot.
  virtual bool nearest_on_gpu(const float* /*queries*/, std::size_t /*count*/, std::size_t /*k*/,
                              std::int32_t* /*rows*/, float* /*distances*/,
                              const SearchOptions& /*options*/ = {}) const {
    return false;
  }

  virtual GpuFigures figures() const { return {}; }
  /// Whether all that the searcher was made to read lies in the memory of its processor.
  virtual bool is_resident() const { return true; }
};

}  // namespace warpdex::vector
