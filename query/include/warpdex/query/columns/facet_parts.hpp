// What one part of a whole counts of a column, and the facet of all parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// The documents that have a key, and the values of theirs that are the key.
struct KeyCount {
  std::uint64_t documents = 0;
  std::uint64_t values = 0;
  bool operator==(const KeyCount&) const = default;
};

/// All values of a column that documents of a part have, with their counts.
struct PartFacet {
  std::uint64_t documents = 0;                                ///< that have a value
  std::vector<std::pair<std::string, KeyCount>> texts{};      ///< of a keyword column, ascending
  std::vector<std::pair<std::uint64_t, KeyCount>> numbers{};  ///< of others: by key, ascending
  std::vector<std::uint64_t> ranges{};  ///< documents, by range that was asked for
  bool operator==(const PartFacet&) const = default;
};

/// Throws FormatError unless it is of the column `field`, with the ranges that were asked for.
void check_part_facet(const PartFacet& part, const Field& field, const FacetRequest& wanted);

/// The facet of the documents of all parts, which are of this column, as one index counts it: sums
/// of floats are added in the order of the values. O(values log values).
Facet join_facets(const Field& field, const FacetRequest& wanted,
                  std::span<const PartFacet* const> parts);

}  // namespace warpdex
