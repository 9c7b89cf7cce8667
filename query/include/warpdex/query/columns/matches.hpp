// All documents that a query matches: terms and trees alike.
#pragma once

#include <cstddef>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

struct Matches {
  vector::RowFilter documents;
  bool was_cut = false;  ///< as TreeResult has it, and the next one
  std::size_t most_terms = 0;
};

/// The live documents that match, and that `settings.documents`, if it is not null, lets through.
/// Where the mode is and-or, it becomes the one that answers. O(postings). Throws FormatError, and
/// as TreeSearcher::search().
Matches all_matches(const Snapshot& snapshot, const Query& query, SearchSettings& settings);

}  // namespace warpdex
