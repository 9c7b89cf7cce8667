#include "tree/flat_tree.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// What an engine does not answer; empty: nothing.
using Obstacle = std::string_view;

bool is_weight(float weight) { return weight >= kMinQueryWeight && weight <= kMaxQueryWeight; }

Obstacle obstacle_of(QueryNode::Kind kind) {
  using Kind = QueryNode::Kind;
  switch (kind) {
    case Kind::kAll: return "all documents";
    case Kind::kPhrase: return "a phrase";
    case Kind::kPrefix: return "a prefix";
    case Kind::kWildcard: return "a pattern";
    case Kind::kFuzzy: return "near words";
    case Kind::kRange: return "a range of words";
    case Kind::kAny: return "a list of terms";
    case Kind::kConstant: return "a constant score";
    case Kind::kBest: return "the best of several clauses";
    case Kind::kSynonyms: return "synonyms";
    case Kind::kColumns: return "columns of documents";
    case Kind::kCombined: return "fields that are scored as one";
    case Kind::kBlended: return "the best of fields whose counts are blended";
    default: return "a clause of another kind";
  }
}

Obstacle obstacle_in_group(const QueryNode& node) {
  if (node.minimum_should_match > (node.must.empty() ? 1U : 0U)) return "minimum_should_match";
  return node.filter.empty() ? "" : "a filter in the query";
}

/// Collects the terms of a tree.
class Flattener {
 public:
  std::vector<QueryTerm> take_terms() { return std::move(terms_); }

  Obstacle append_root(const QueryNode& tree) {
    if (tree.kind == QueryNode::Kind::kNothing) return {};
    if (tree.kind != QueryNode::Kind::kBoolean) return append(tree, Occur::kUnsigned, 1);
    if (const Obstacle found = obstacle_in_group(tree); !found.empty()) return found;
    // One that must match alone may be any of several words.
    const bool is_alone = tree.must.size() == 1 && tree.should.empty();
    const bool is_any =
        is_alone && tree.must[0].kind == QueryNode::Kind::kBoolean && tree.must[0].must.empty();
    Obstacle found = append_all(tree.must, is_any ? Occur::kUnsigned : Occur::kMust, tree.boost);
    if (found.empty()) found = append_all(tree.should, Occur::kUnsigned, tree.boost);
    if (found.empty()) found = append_all(tree.must_not, Occur::kMustNot, 1);
    return found;
  }

 private:
  Obstacle append_all(const std::vector<QueryNode>& clauses, Occur occur, float boost) {
    for (const QueryNode& clause : clauses) {
      if (const Obstacle found = append(clause, occur, boost); !found.empty()) return found;
    }
    return {};
  }

  /// Of a clause that is a term, or a group of such clauses of the same role.
  Obstacle append(const QueryNode& node, Occur occur, float boost) {
    const float own = boost * node.boost;
    if (node.kind == QueryNode::Kind::kTerm) {
      if (occur != Occur::kMustNot && !is_weight(own)) return "a word without a weight";
      terms_.push_back({node.text, occur, occur == Occur::kMustNot ? 1 : own});
      return {};
    }
    if (node.kind == QueryNode::Kind::kNothing) {
      return occur == Occur::kMust ? "a required clause that matches nothing" : "";
    }
    if (node.kind != QueryNode::Kind::kBoolean) return obstacle_of(node.kind);
    return append_group(node, occur, own);
  }

  Obstacle append_group(const QueryNode& node, Occur occur, float boost) {
    if (const Obstacle found = obstacle_in_group(node); !found.empty()) return found;
    if (!node.must_not.empty()) return "an exclusion within a group";
    if (const QueryNode* const only = only_clause(node)) return append(*only, occur, boost);
    // Groups of words of which one is enough, below the same; of which all must be, likewise.
    if (node.must.empty() && occur != Occur::kMust) return append_all(node.should, occur, boost);
    if (node.should.empty() && occur == Occur::kMust) return append_all(node.must, occur, boost);
    if (occur == Occur::kMust) return "a required group of which one clause is enough";
    if (occur == Occur::kUnsigned) return "an optional group with required clauses";
    return node.should.empty() ? append_excluded(node.must) : "an excluded group of both kinds";
  }

  /// Excludes documents with all of several terms.
  Obstacle append_excluded(const std::vector<QueryNode>& terms) {
    const auto is_term = [](const QueryNode& node) { return node.kind == QueryNode::Kind::kTerm; };
    if (!std::all_of(terms.begin(), terms.end(), is_term)) return "an excluded group of groups";
    std::uint32_t word = 0;
    for (const QueryTerm& term : terms_) word = std::max(word, term.word);
    for (const QueryNode& term : terms) {
      terms_.push_back({term.text, Occur::kMustNot, 1, word + 1});
    }
    return {};
  }

  /// The one clause of a Boolean clause that matches what that matches; null: there are more.
  static const QueryNode* only_clause(const QueryNode& node) {
    if (node.must.size() == 1 && node.should.empty() && node.minimum_should_match == 0) {
      return &node.must[0];
    }
    return node.should.size() == 1 && node.must.empty() ? &node.should[0] : nullptr;
  }

  std::vector<QueryTerm> terms_;
};

}  // namespace

FlatTree flattened(const QueryNode& analyzed) {
  Flattener flattener;
  const Obstacle found = flattener.append_root(analyzed);
  return {flattener.take_terms(), found};
}

}  // namespace warpdex
