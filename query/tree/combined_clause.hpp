// A word of several fields that are scored as one. Internal.
#pragma once

#include <memory>
#include <vector>

#include "tree/tree_clause.hpp"

namespace warpdex {

/// Of PlannedNode::kCombined, in the segment of that number. Follows Lucene's CombinedFieldQuery:
/// the word's frequency and the document's length are the sums over the fields, each times its
/// weight, and the length is rounded to a whole number; the fields together have as many documents,
/// and documents with the word, as the one with the most, and the weighted sum of their tokens.
/// `statistics` are by text field.
std::unique_ptr<TreeClause> make_combined_clause(
    const Index& index, const PlannedNode& word, std::size_t segment, const ScorerSettings& scorer,
    const std::vector<CollectionStatistics>& statistics);

}  // namespace warpdex
