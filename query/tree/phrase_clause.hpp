// A phrase in one segment. Internal.
#pragma once

#include <cstddef>
#include <memory>

#include "tree/tree_clause.hpp"

namespace warpdex {

/// Documents with the words of a planned phrase at their places. The score of each is the sum over
/// the words of what each of them scores with the phrase's frequency.
std::unique_ptr<TreeClause> make_phrase_clause(const Index& index, const PlannedNode& phrase,
                                               std::size_t segment, const ScorerSettings& scorer,
                                               const std::vector<CollectionStatistics>& statistics);

}  // namespace warpdex
