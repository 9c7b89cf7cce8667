// Searches for the rows nearest to rows of the same index.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// Finds the k nearest rows of each of `rows`, which are rows of the index as they are stored, one
/// after the other. The distances are canonical ones, the same from a row to another and back: for
/// kCosine rows are not scaled again, as stored ones have length 1 up to rounding.
using RowSearch = std::function<Neighbors(std::span<const float> rows, std::size_t k)>;

/// How thoroughly row_search() searches.
struct RowSearchSettings {
  std::size_t probes = 1;  ///< of an inverted file: lists, 1 to as many as there are
  /// For codes: how many of the best by codes are ranked by their vectors; at least k are.
  std::size_t refine = 0;
  std::size_t threads = 0;  ///< 0: default_threads()
};

/// How to make a searcher of an index whose queries are rows as the index stores them.
struct RowSearchMethod {
  Metric metric;        ///< by which they are compared
  SearchOptions depth;  ///< with refining for codes
};

/// Throws UsageError where the vectors were not kept.
RowSearchMethod row_search_method(const VectorIndex& index, const SearchOptions& depth);

/// A search of `index`, which must outlive it, on the CPU. For kFlat it is exact. Throws UsageError
/// where the vectors were not kept. The search throws as the searchers of the kind of index do.
RowSearch row_search(const VectorIndex& index, const RowSearchSettings& settings);

}  // namespace warpdex::vector
