// Vectors in lists, each list beside the centroid that is nearest to its vectors: an inverted file.
// *Billion-scale similarity search with GPUs*, section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

/// The vectors of lists as a coding has them, in memory. Owns nothing. A query *probes* some lists,
/// those of the nearest centroids; only their vectors are compared. The centroids' metric decides
/// which lists are nearest: kInnerProduct if that is the vectors' metric, else kL2.
template <class Coding>
struct Lists;

/// How lists are searched on the CPU: whole vectors list by list, codes query by query.
class RowListSearch;
template <class Coding>
class CodeListSearch;

/// Whole vectors: what is found in lists is exact, with the distances of FlatSearcher.
struct RowCoding {
  class GpuSearch;
  using ListSearch = RowListSearch;
};

template <>
struct Lists<RowCoding> {
  /// List after list, in each by row; row_numbers says which rows they are.
  FlatVectors vectors;
  /// Where each list begins among the vectors: lists + 1 numbers, ascending, from 0.
  std::span<const std::uint64_t> begins = {};
  FlatVectors centroids;  ///< one for each list

  std::size_t rows() const { return vectors.vectors.rows; }
  std::size_t lists() const { return begins.size() - 1; }
};

/// What lists of codes have in common.
struct CodeLists {
  Metric metric = Metric::kL2;
  /// Groups of 32 codes of residuals (the vectors less their centroids), list after list.
  /// docs/vector.md has the layout.
  std::span<const std::uint8_t> codes = {};
  /// What a vector's distance has beside its code and the centroid, as the coding says. Empty where
  /// there is nothing.
  std::span<const float> terms = {};
  /// The factor by which what a code stands for is multiplied, of each vector; empty: 1.
  std::span<const float> factors = {};
  /// The row of each vector; list after list, in each ascending.
  std::span<const std::uint32_t> row_numbers = {};
  /// Where each list begins among row_numbers and terms, and among the groups: lists + 1 numbers
  /// each, ascending, from 0.
  std::span<const std::uint64_t> begins = {};
  std::span<const std::uint64_t> group_begins = {};
  /// For kL2 a point amidst the vectors, else empty.
  std::span<const float> centre = {};
  FlatVectors centroids = {};
  /// The vectors themselves in the order of rows; `vectors.vectors.data` is null where they were
  /// not kept.
  FlatVectors vectors = {};

  std::size_t rows() const { return row_numbers.size(); }
  std::size_t lists() const { return begins.size() - 1; }
  bool keeps_vectors() const { return vectors.vectors.data != nullptr; }
};

inline Metric metric_of(const Lists<RowCoding>& lists) { return lists.vectors.metric; }
inline Metric metric_of(const CodeLists& lists) { return lists.metric; }

template <class Coding>
struct Lists : CodeLists {
  typename Coding::Quantizer quantizer = {};
};

}  // namespace warpdex::vector
