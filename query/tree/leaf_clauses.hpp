// Clauses without others below them. Internal.
#pragma once

#include <memory>
#include <vector>

#include "tree/tree_clause.hpp"

namespace warpdex {

std::unique_ptr<TreeClause> make_nothing_clause();
std::unique_ptr<TreeClause> make_all_clause(const Index& index, float score);
/// `scores`: whether they are wanted.
std::unique_ptr<TreeClause> make_term_clause(const Index& index, const PlannedTerm& term,
                                             bool scores, const ScorerSettings& scorer,
                                             const CollectionStatistics& statistics);
/// Documents of any of the lists. O(their postings).
std::unique_ptr<TreeClause> make_union_clause(const Index& index,
                                              const std::vector<PostingsEntry>& entries,
                                              float score);

/// How often a list's word stands in the documents of the list's segment. O(1), of a short list
/// O(postings).
std::uint64_t occurrences_of(ListCursor& list);

}  // namespace warpdex
