// Facets from what was counted of each segment. Internal.
#pragma once

#include <cstddef>
#include <span>

#include "columns/value_counts.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/shown_field.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// The place of the facet's column. Throws as count_facet() does.
std::size_t check_facet(const Snapshot& snapshot, const FacetRequest& wanted);

/// `segments` has the counts of each of the snapshot's. `documents`, those that were counted, are
/// read for ranges where documents have several values; else null will do.
Facet make_facet(const Snapshot& snapshot, const FacetRequest& wanted,
                 std::span<const ValueCounts> segments, const vector::RowFilter* documents);

}  // namespace warpdex
