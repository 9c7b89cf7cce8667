// All documents that a query matches, as a set.
#pragma once

#include <cstdint>
#include <span>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// The live documents that match by the settings' mode, as one bit for each docID below
/// Snapshot::docid_end(). `plan` must be made for the snapshot. O(postings). Throws FormatError for
/// damaged lists.
vector::RowFilter matching_documents(const Snapshot& snapshot, const PlannedQuery& plan,
                                     const SearchSettings& settings);
/// Those of some documents that a filter, if it is not null, lets through.
vector::RowFilter passing_documents(const Snapshot& snapshot,
                                    std::span<const std::uint32_t> documents,
                                    const DocumentFilter* filter);

}  // namespace warpdex
