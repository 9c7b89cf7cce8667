// The vectors of an index's documents: their settings, and which are live.
#pragma once

#include <cstddef>
#include <string_view>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// The number of the vectors of a name among vector_sets(). Without a name: those without one, or
/// the only ones that there are. Throws UsageError, which says what there is, for others.
std::size_t find_vectors(const Snapshot& snapshot, std::string_view name);

/// How the index keeps one of its vector_sets(). Throws UsageError if it holds no vectors.
vector::RowSettings vector_settings(const Snapshot& snapshot, std::size_t set = 0);

/// The rows of a segment's documents that are not removed. Each document has one row.
vector::RowFilter live_rows(const Index& segment);

}  // namespace warpdex
