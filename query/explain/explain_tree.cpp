// Clauses without others are asked as a search asks them; groups join these in the same order.
#include "explain/explain_tree.hpp"

#include <algorithm>

#include "cpu/kernels.hpp"
#include "explain/clause_text.hpp"
#include "tree/combined_clause.hpp"
#include "tree/phrase_words.hpp"
#include "tree/synonyms_clause.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {
namespace {

using TreeKind = QueryNode::Kind;

/// Words of a clause that are told.
constexpr std::size_t kToldWords = 5;

bool is_group(const QueryNode& node) {
  return node.kind == TreeKind::kBoolean || node.kind == TreeKind::kConstant ||
         node.kind == TreeKind::kBest;
}

void join_best(float tie_breaker, bool scores, ClauseExplanation& found) {
  float sum = 0;
  float best = 0;
  for (const ClauseExplanation& clause : found.clauses) {
    found.matches = found.matches || clause.matches;
    best = std::max(best, clause.score);
    sum += clause.score;
  }
  if (!found.matches) found.why_not = "none of its clauses matches";
  if (found.matches && scores) {
    found.score = tie_breaker == 0 ? best : best + tie_breaker * (sum - best);
  }
}

/// A clause without others, in one document.
class LeafExplainer {
 public:
  LeafExplainer(const ExplainedIndex& of, const ExplainedPlace& place) : of_(of), place_(place) {}

  void explain(const QueryNode& node, const PlannedNode& planned, ClauseExplanation& found) const {
    switch (planned.kind) {
      case PlannedNode::Kind::kAll: match(planned.constant.value_or(0), found); break;
      case PlannedNode::Kind::kTerm: explain_word(node, planned, found); break;
      case PlannedNode::Kind::kUnion: explain_union(planned, found); break;
      case PlannedNode::Kind::kColumns: explain_columns(planned, found); break;
      case PlannedNode::Kind::kSynonyms: explain_synonyms(planned, found); break;
      case PlannedNode::Kind::kCombined: explain_combined(planned, found); break;
      case PlannedNode::Kind::kPhrase: explain_phrase(planned, found); break;
      case PlannedNode::Kind::kBoolean: explain_near(planned, found); break;
      case PlannedNode::Kind::kBest: explain_blended(planned, found); break;
      default: found.why_not = "it matches nothing";
    }
  }

 private:
  static void match(float score, ClauseExplanation& found) {
    found.matches = true;
    found.score = score;
  }

  const std::optional<PlannedTerm>& here(const PlannedNode& planned) const {
    return planned.terms[place_.segment];
  }
  bool has(const PlannedNode& planned) const {
    return here(planned) && frequency_in(place_.index, here(planned)->entry, place_.document) > 0;
  }

  void explain_word(const QueryNode& node, const PlannedNode& planned,
                    ClauseExplanation& found) const {
    found.term = here(planned) ? explain_term(of_, place_, *here(planned), node.text)
                               : std::optional<TermExplanation>();
    if (!found.term) {
      const bool is_known = std::ranges::any_of(
          planned.terms, [](const std::optional<PlannedTerm>& term) { return term.has_value(); });
      found.why_not = is_known ? "the document lacks it" : "no document has it";
      return;
    }
    match(planned.scores ? found.term->score : 0, found);
    if (!planned.scores) found.term.reset();
  }

  /// Each word of a clause that the document has, as a word.
  void explain_words(const PlannedNode& planned, ClauseExplanation& found) const {
    for (const PlannedNode& word : planned.should) {
      if (!has(word)) continue;
      const std::string name = term_of_number(place_.index, here(word)->entry.term_number);
      ClauseExplanation own{.clause = shown_term(of_.snapshot.settings().schema, name),
                            .role = "should"};
      explain_word({.kind = TreeKind::kTerm, .text = name}, word, own);
      found.clauses.push_back(std::move(own));
    }
  }

  /// A word in several fields.
  void explain_blended(const PlannedNode& planned, ClauseExplanation& found) const {
    explain_words(planned, found);
    join_best(planned.tie_breaker, planned.scores, found);
    if (!found.matches) found.why_not = "none of the fields has it";
  }

  /// Near words: all of them added.
  void explain_near(const PlannedNode& planned, ClauseExplanation& found) const {
    float sum = 0;
    explain_words(planned, found);
    for (const ClauseExplanation& own : found.clauses) sum += own.score;
    if (found.clauses.empty()) {
      found.why_not = "the document has no such word";
    } else {
      match(sum, found);
    }
  }

  void explain_union(const PlannedNode& planned, ClauseExplanation& found) const {
    for (const PostingsEntry& entry : planned.unions[place_.segment]) {
      if (frequency_in(place_.index, entry, place_.document) == 0) continue;
      const std::string name = term_of_number(place_.index, entry.term_number);
      found.words.emplace_back(of_.fields.size() > 1 ? without_mark(name) : name);
      if (found.words.size() == kToldWords) break;
    }
    if (found.words.empty()) {
      found.why_not = "the document has no such word";
    } else {
      match(planned.constant.value_or(0), found);
    }
  }

  void explain_columns(const PlannedNode& planned, ClauseExplanation& found) const {
    const std::uint64_t word = planned.documents->excluded[place_.segment][place_.document / 64];
    if ((word >> place_.document % 64 & 1) != 0) {
      found.why_not = "the document does not fit";
    } else {
      match(planned.constant.value_or(0), found);
    }
  }

  void explain_synonyms(const PlannedNode& planned, ClauseExplanation& found) const {
    float frequency = 0;
    for (const PlannedNode& word : planned.should) {
      if (!has(word)) continue;
      frequency +=
          static_cast<float>(frequency_in(place_.index, here(word)->entry, place_.document));
      const std::string name = term_of_number(place_.index, here(word)->entry.term_number);
      found.words.emplace_back(of_.fields.size() > 1 ? without_mark(name) : name);
    }
    if (found.words.empty()) {
      found.why_not = "the document has none of them";
      return;
    }
    const auto clause =
        make_synonyms_clause(place_.index, planned, place_.segment, of_.scorer, of_.statistics);
    match(planned.scores ? score_here(*clause) : 0, found);
    if (planned.scores) found.frequency = frequency;
  }

  /// A word in several fields as one: its frequency is the sum of those there, times their weights.
  void explain_combined(const PlannedNode& planned, ClauseExplanation& found) const {
    float frequency = 0;
    for (std::size_t i = 0; i < planned.should.size(); ++i) {
      if (!has(planned.should[i])) continue;
      const PostingsEntry& entry = here(planned.should[i])->entry;
      frequency += planned.fields[i].weight *
                   static_cast<float>(frequency_in(place_.index, entry, place_.document));
      found.words.push_back(shown_term(of_.snapshot.settings().schema,
                                       term_of_number(place_.index, entry.term_number)));
    }
    if (found.words.empty()) {
      found.why_not = "none of the fields has it";
      return;
    }
    const auto clause =
        make_combined_clause(place_.index, planned, place_.segment, of_.scorer, of_.statistics);
    match(planned.scores ? score_here(*clause) : 0, found);
    if (planned.scores) found.frequency = frequency;
  }

  /// What a search gives the document for a clause that matches it.
  float score_here(TreeClause& clause) const {
    const std::uint32_t begin = place_.document & ~std::uint32_t{63};
    const auto documents = static_cast<std::uint32_t>(place_.index.counts().documents);
    WindowBits within{};
    set_bit(within, place_.document - begin);
    WindowMatches matches;
    matches.scores.resize(kTreeWindow);
    clause.match(kernels(), {begin, std::min(begin + 64, documents)}, within, matches);
    return matches.scores[place_.document - begin];
  }

  void explain_phrase(const PlannedNode& planned, ClauseExplanation& found) const {
    if (!has_words(planned)) {
      found.why_not = "the document lacks a word of it";
      return;
    }
    PhraseWords words(place_.index, planned, place_.segment, of_.scorer, of_.statistics);
    words.take(kernels(), place_.document, -1, PhraseWords::kNoList);
    words.visit_matches([&](std::uint32_t, float score, float frequency) {
      match(score, found);
      if (planned.scores) found.frequency = frequency;
    });
    if (!found.matches) found.why_not = "its words do not stand so";
  }

  /// One for each place.
  bool has_words(const PlannedNode& phrase) const {
    for (std::size_t i = 0; i < phrase.should.size();) {
      const std::uint32_t position = phrase.positions[i];
      bool is_here = false;
      for (; i < phrase.should.size() && phrase.positions[i] == position; ++i) {
        is_here = is_here || has(phrase.should[i]);
      }
      if (!is_here) return false;
    }
    return true;
  }

  const ExplainedIndex& of_;
  const ExplainedPlace& place_;
};

/// How many clauses of a role there are, and match.
struct RoleMatches {
  RoleMatches(const ClauseExplanation& group, std::string_view role) {
    for (const ClauseExplanation& clause : group.clauses) {
      if (clause.role != role) continue;
      ++count;
      matching += clause.matches ? 1 : 0;
    }
  }
  std::size_t count = 0;
  std::size_t matching = 0;
};

void join_boolean(const QueryNode& node, bool scores, ClauseExplanation& found) {
  std::uint32_t least = node.minimum_should_match;
  if (least == 0 && node.must.empty() && node.filter.empty()) least = 1;
  const RoleMatches should(found, "should");
  for (const std::string_view role : {"must", "filter"}) {
    const RoleMatches all(found, role);
    if (all.matching < all.count) found.why_not = "a required clause does not match";
  }
  if (found.why_not.empty() && should.matching < least) {
    found.why_not = "of its optional clauses " + std::to_string(should.matching) + " match, and " +
                    std::to_string(least) + " must";
  }
  if (found.why_not.empty() && RoleMatches(found, "must_not").matching > 0) {
    found.why_not = "an excluded clause matches";
  }
  found.matches = found.why_not.empty();
  if (!found.matches || !scores) return;
  for (const ClauseExplanation& clause : found.clauses) {
    if (clause.role == "must" || clause.role == "should") found.score += clause.score;
  }
}

}  // namespace

TreeExplainer::TreeExplainer(const ExplainedIndex& of, const QueryNode& tree)
    : of_(of), tree_(tree) {
  QueryPlanner planner(of.snapshot);
  FilterCache filters;
  plan(tree, 1, true, planner, filters);
}

void TreeExplainer::plan(const QueryNode& node, float boost, bool scores, QueryPlanner& planner,
                         FilterCache& filters) {
  const float weight = boost_product(boost, node.boost);
  scores = scores && weight > 0;
  if (!is_group(node)) {
    QueryNode leaf = node;
    leaf.boost = weight;
    leaves_[&node] = plan_tree(of_.snapshot, planner, filters, leaf, scores).root;
    return;
  }
  const auto plan_all = [&](const std::vector<QueryNode>& clauses, float above, bool score) {
    for (const QueryNode& each : clauses) plan(each, above, score, planner, filters);
  };
  plan_all(node.must, weight, scores);
  plan_all(node.filter, 1, false);
  plan_all(node.should, weight, scores);
  plan_all(node.must_not, 1, false);
}

ClauseExplanation TreeExplainer::explain(const ExplainedPlace& place) const {
  return clause(tree_, 1, true, place);
}

ClauseExplanation TreeExplainer::clause(const QueryNode& node, float boost, bool scores,
                                        const ExplainedPlace& place) const {
  ClauseExplanation found{.clause = clause_text(of_.snapshot.settings().schema, node)};
  const float weight = boost_product(boost, node.boost);
  scores = scores && weight > 0;
  if (!is_group(node)) {
    LeafExplainer(of_, place).explain(node, leaves_.at(&node), found);
    return found;
  }
  add_clauses(node, weight, scores, place, found);
  if (node.kind == TreeKind::kBest) {
    join_best(node.tie_breaker, scores, found);
  } else if (node.kind == TreeKind::kConstant) {
    found.matches = !found.clauses.empty() && found.clauses[0].matches;
    if (!found.matches) found.why_not = "its filter does not match";
    if (found.matches && scores) found.score = weight;
  } else {
    join_boolean(node, scores, found);
  }
  return found;
}

void TreeExplainer::add_clauses(const QueryNode& node, float boost, bool scores,
                                const ExplainedPlace& place, ClauseExplanation& found) const {
  const auto add = [&](const std::vector<QueryNode>& clauses, const char* role, bool score) {
    for (const QueryNode& each : clauses) {
      found.clauses.push_back(clause(each, score ? boost : 1, score && scores, place));
      found.clauses.back().role = role;
    }
  };
  add(node.must, "must", true);
  add(node.filter, "filter", false);
  add(node.should, "should", true);
  add(node.must_not, "must_not", false);
}

}  // namespace warpdex
