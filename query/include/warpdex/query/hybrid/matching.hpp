// All documents that a query matches, as a set.
#pragma once

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// The live documents that match by the settings' mode, as one bit for each docID below
/// Snapshot::docid_end(). `plan` must be made for the snapshot. O(postings). Throws FormatError for
/// damaged lists.
vector::RowFilter matching_documents(const Snapshot& snapshot, const PlannedQuery& plan,
                                     const SearchSettings& settings);
/// Those that match an analyzed tree (Query::tree). Of the settings, `documents` count. Throws as
/// TreeSearcher::matches() does.
vector::RowFilter matching_documents(const Snapshot& snapshot, const QueryNode& tree,
                                     const SearchSettings& settings);

}  // namespace warpdex
