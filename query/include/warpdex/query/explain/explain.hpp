// Takes the score of a document apart.
#pragma once

#include <cstdint>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/explanation.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// The score that a search of `query` gives the document, term by term, by the same operations in
/// the same order. Whether the document matches is not asked: terms that it lacks are left out, and
/// so are those with a - sign. O(terms log postings). Throws UsageError for a docID past the last
/// and for settings out of range, FormatError for damage.
Explanation explain(const Snapshot& snapshot, const Query& query, const ScorerSettings& scorer,
                    std::uint32_t document);

}  // namespace warpdex
