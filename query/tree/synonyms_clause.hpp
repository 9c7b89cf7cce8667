// Words that are scored as one. Internal.
#pragma once

#include <memory>
#include <vector>

#include "tree/tree_clause.hpp"

namespace warpdex {

/// Documents with one of a planned node's words. As Lucene's SynonymQuery: the frequency is the sum
/// of theirs, and the documents that have the word are those of the most frequent one.
std::unique_ptr<TreeClause> make_synonyms_clause(
    const Index& index, const PlannedNode& node, std::size_t segment, const ScorerSettings& scorer,
    const std::vector<CollectionStatistics>& statistics);

}  // namespace warpdex
