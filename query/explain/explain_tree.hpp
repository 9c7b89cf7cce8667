// Takes the score of a tree apart, clause by clause. Internal.
#pragma once

#include <map>

#include "explain/explained_term.hpp"
#include "tree/tree_plan.hpp"
#include "warpdex/query/plan/query_planner.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Explains one tree, which it plans once.
class TreeExplainer {
 public:
  /// Keeps references to both. Throws FormatError.
  TreeExplainer(const ExplainedIndex& of, const QueryNode& tree);

  /// Of the document there. Throws FormatError.
  ClauseExplanation explain(const ExplainedPlace& place) const;

 private:
  void plan(const QueryNode& node, float boost, bool scores, QueryPlanner& planner,
            FilterCache& filters);
  ClauseExplanation clause(const QueryNode& node, float boost, bool scores,
                           const ExplainedPlace& place) const;
  void add_clauses(const QueryNode& node, float boost, bool scores, const ExplainedPlace& place,
                   ClauseExplanation& found) const;

  const ExplainedIndex& of_;
  const QueryNode& tree_;
  std::map<const QueryNode*, PlannedNode> leaves_;  ///< clauses without others below them
};

}  // namespace warpdex
