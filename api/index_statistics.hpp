// Counts what an index holds. Internal.
#pragma once

#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex {

/// Reads the headers of all lists: O(terms + documents).
IndexStatistics statistics_of(const Snapshot& index);

}  // namespace warpdex
