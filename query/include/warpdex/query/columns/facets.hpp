// Counts of columns over sets of documents.
#pragma once

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/columns/facet_parts.hpp"
#include "warpdex/query/shown_field.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// Throws UsageError for a column that the index has not, and InputError for a limit of a range
/// that does not fit its type, or of a keyword column; FormatError. O(values of the documents +
/// distinct values).
Facet count_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                  const vector::RowFilter& documents);

/// The same of a part of a whole, for join_facets().
PartFacet count_part_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                           const vector::RowFilter& documents);

}  // namespace warpdex
