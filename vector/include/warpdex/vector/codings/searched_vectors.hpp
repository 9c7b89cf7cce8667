// What searchers read: all vectors or those of lists, in any coding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <variant>

#include "warpdex/vector/codings/codings.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

template <class Codings>
struct SearchedVectorsOf;
template <class... Coding>
struct SearchedVectorsOf<std::tuple<Coding...>> {
  using Type = std::variant<FlatVectors, BinaryVectors, Lists<Coding>...>;
};

/// All vectors, or those in lists. Owns nothing.
using SearchedVectors = SearchedVectorsOf<Codings>::Type;

Metric metric_of(const SearchedVectors& vectors);
std::size_t dimension_of(const SearchedVectors& vectors);
std::size_t rows_of(const SearchedVectors& vectors);
/// The vectors themselves, without lists; of codes, `vectors.data` may be null.
const FlatVectors& flat_of(const SearchedVectors& vectors);
/// Where each list begins, and the end; empty where there are no lists.
std::span<const std::uint64_t> list_begins_of(const SearchedVectors& vectors);
/// The row of each vector in the order of lists; empty where there are no lists.
std::span<const std::uint32_t> row_numbers_of(const SearchedVectors& vectors);
/// The centroids of lists, which there must be.
const FlatVectors& centroids_of(const SearchedVectors& vectors);
/// Whether they are compared by codes.
bool has_codes(const SearchedVectors& vectors);
/// The same vectors compared by another metric.
SearchedVectors with_metric(const SearchedVectors& vectors, Metric metric);

}  // namespace warpdex::vector
