// The question that a tree asks an index, as terms with signs or as a tree of terms.
#include "warpdex/query/tree/tree_query.hpp"

#include <map>
#include <optional>
#include <utility>

#include "tree/analyzed_tree.hpp"
#include "tree/flat_tree.hpp"

namespace warpdex {
namespace {

/// The terms that a match may have, with their weights, for snippets and notes.
void append_words(const QueryNode& node, float boost, std::vector<QueryTerm>& terms) {
  const float own = boost * node.boost;
  if (node.kind == QueryNode::Kind::kTerm && own > 0) {
    terms.push_back({.term = node.text, .weight = own});
  }
  const bool scores =
      node.kind == QueryNode::Kind::kPhrase || node.kind == QueryNode::Kind::kSynonyms;
  if (scores && own == 0) return;
  for (const std::string& text : node.texts) {
    terms.push_back({.term = text, .weight = scores ? own : 1});
  }
  for (const auto* part : {&node.must, &node.filter, &node.should}) {
    for (const QueryNode& clause : *part) append_words(clause, own, terms);
  }
}

}  // namespace

void take_tree(Query& query, const QueryNode& tree, Analyzer& analyzer, bool has_positions) {
  take_tree(query, tree, TextAnalyzers(analyzer, has_positions), {});
}

void take_tree(Query& query, const QueryNode& tree, const TextAnalyzers& texts,
               const SearchedFields& fields) {
  check_query_tree(tree);
  std::optional<QueryNode> analyzed = TreeAnalyzer(texts, fields).analyze(tree);
  query.tree.reset();
  query.terms.clear();
  if (!analyzed) return;
  if (FlatTree flat = flattened(*analyzed); flat.why_not.empty()) {
    query.terms = std::move(flat.terms);
    return;
  }
  append_words(*analyzed, 1, query.terms);
  query.tree = std::make_shared<const QueryNode>(std::move(*analyzed));
}

QueryNode tree_of(const Query& query) {
  if (query.tree) return *query.tree;
  QueryNode tree{.kind = QueryNode::Kind::kBoolean};
  std::map<std::uint32_t, QueryNode> words;  // excluded ones, of several terms
  for (const QueryTerm& term : query.terms) {
    QueryNode node{.kind = QueryNode::Kind::kTerm, .boost = term.weight, .text = term.term};
    if (term.word != 0) {
      words[term.word].kind = QueryNode::Kind::kBoolean;
      words[term.word].must.push_back(std::move(node));
      continue;
    }
    auto& part = term.occur == Occur::kMust      ? tree.must
                 : term.occur == Occur::kMustNot ? tree.must_not
                                                 : tree.should;
    part.push_back(std::move(node));
  }
  for (auto& [number, node] : words) tree.must_not.push_back(std::move(node));
  return tree;
}

}  // namespace warpdex
