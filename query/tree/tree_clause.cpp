#include "tree/tree_clause.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tree/all_terms_clause.hpp"
#include "tree/column_clause.hpp"
#include "tree/combined_clause.hpp"
#include "tree/leaf_clauses.hpp"
#include "tree/parent_clauses.hpp"
#include "tree/phrase_clause.hpp"
#include "tree/synonyms_clause.hpp"

namespace warpdex {
namespace {

/// Makes the clauses of one segment.
class ClauseMaker {
 public:
  ClauseMaker(const SearchedSegment& segment, std::size_t number, const ScorerSettings& scorer,
              const std::vector<CollectionStatistics>& statistics)
      : index_(*segment.index), number_(number), scorer_(scorer), statistics_(statistics) {}

  std::unique_ptr<TreeClause> make(const PlannedNode& node) const {
    using Kind = PlannedNode::Kind;
    switch (node.kind) {
      case Kind::kNothing: break;
      case Kind::kAll: return make_all_clause(index_, node.constant.value_or(0));
      case Kind::kTerm:
        if (!node.terms[number_]) break;
        return make_term_clause(index_, *node.terms[number_], node.scores, scorer_,
                                statistics_[node.terms[number_]->entry.field]);
      case Kind::kUnion:
        if (node.unions[number_].empty()) break;
        return make_union_clause(index_, node.unions[number_], node.constant.value_or(0));
      case Kind::kBoolean: return make_boolean(node);
      case Kind::kBest: return make_best_clause(node, all(node.should));
      case Kind::kCombined:
        return make_combined_clause(index_, node, number_, scorer_, statistics_);
      case Kind::kColumns:
        return make_column_clause(node.documents, number_, node.constant.value_or(0),
                                  static_cast<std::uint32_t>(index_.counts().documents));
      case Kind::kSynonyms:
        return make_synonyms_clause(index_, node, number_, scorer_, statistics_);
      case Kind::kPhrase: return make_phrase_clause(index_, node, number_, scorer_, statistics_);
    }
    return make_nothing_clause();
  }

 private:
  /// Required terms at the front are matched together: the sum of their scores begins that of all.
  std::unique_ptr<TreeClause> make_boolean(const PlannedNode& node) const {
    const auto front = std::ranges::find_if_not(node.must, [&](const PlannedNode& clause) {
      return clause.kind == PlannedNode::Kind::kTerm && clause.terms[number_];
    });
    auto terms = static_cast<std::size_t>(front - node.must.begin());
    if (terms < 2) terms = 0;
    ScoredClauses must;
    if (terms > 0) {
      must.push_back({make_all_terms_clause(index_, std::span(node.must).first(terms), number_,
                                            scorer_, statistics_),
                      node.scores});
    }
    for (std::size_t i = terms; i < node.must.size(); ++i) {
      must.push_back({make(node.must[i]), node.must[i].scores});
    }
    const bool is_alone = terms > 0 && must.size() == 1 && node.should.empty() &&
                          node.must_not.empty() && !node.constant;
    if (is_alone) return std::move(must[0].clause);
    ScoredClauses should;
    for (const PlannedNode& clause : node.should) should.push_back({make(clause), clause.scores});
    return make_boolean_clause(node, std::move(must), std::move(should), all(node.must_not));
  }

  TreeClauses all(const std::vector<PlannedNode>& nodes) const {
    TreeClauses clauses;
    for (const PlannedNode& node : nodes) clauses.push_back(make(node));
    return clauses;
  }

  const Index& index_;
  std::size_t number_;
  const ScorerSettings& scorer_;
  const std::vector<CollectionStatistics>& statistics_;
};

}  // namespace

std::unique_ptr<TreeClause> make_clause(const PlannedNode& node, const SearchedSegment& segment,
                                        std::size_t number, const ScorerSettings& scorer,
                                        const std::vector<CollectionStatistics>& statistics) {
  return ClauseMaker(segment, number, scorer, statistics).make(node);
}

}  // namespace warpdex
