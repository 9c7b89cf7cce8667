// Documents that have all of several terms. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tree/tree_clause.hpp"

namespace warpdex {

/// `terms`: two or more, of the segment of that number, which has them all. Scores are added in
/// their order. `statistics` are by text field.
std::unique_ptr<TreeClause> make_all_terms_clause(
    const Index& index, std::span<const PlannedNode> terms, std::size_t segment,
    const ScorerSettings& scorer, const std::vector<CollectionStatistics>& statistics);

}  // namespace warpdex
