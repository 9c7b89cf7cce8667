// The vectors of an index's documents: their settings, and which are live.
#pragma once

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// How the index keeps its vectors. Throws UsageError if it holds none.
const vector::RowSettings& vector_settings(const Snapshot& snapshot);

/// The rows of a segment's documents that are not removed. Each document has one row.
vector::RowFilter live_rows(const Index& segment);

}  // namespace warpdex
