// Clauses that join others. Internal.
#pragma once

#include <memory>
#include <vector>

#include "tree/tree_clause.hpp"

namespace warpdex {

using TreeClauses = std::vector<std::unique_ptr<TreeClause>>;

struct ScoredClause {
  std::unique_ptr<TreeClause> clause;
  bool scores = true;  ///< whether a score is wanted of it
};
using ScoredClauses = std::vector<ScoredClause>;

/// The clauses are those of the planned one, in their order; the first ones of `must` may be joined
/// to one.
std::unique_ptr<TreeClause> make_boolean_clause(const PlannedNode& node, ScoredClauses must,
                                                ScoredClauses should, TreeClauses must_not);
std::unique_ptr<TreeClause> make_best_clause(const PlannedNode& node, TreeClauses should);

}  // namespace warpdex
