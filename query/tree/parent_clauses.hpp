// Clauses that join others. Internal.
#pragma once

#include <memory>
#include <vector>

#include "tree/tree_clause.hpp"

namespace warpdex {

using TreeClauses = std::vector<std::unique_ptr<TreeClause>>;

/// The clauses are those of the planned one, in their order.
std::unique_ptr<TreeClause> make_boolean_clause(const PlannedNode& node, TreeClauses must,
                                                TreeClauses should, TreeClauses must_not);
std::unique_ptr<TreeClause> make_best_clause(const PlannedNode& node, TreeClauses should);

}  // namespace warpdex
