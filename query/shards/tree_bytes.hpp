// Analysed trees in messages, and their terms. Internal.
#pragma once

#include <cstddef>

#include "shards/message_bytes.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::shards {

/// The fewest bytes of a clause.
inline constexpr std::size_t kNodeBytes = 59;

/// Throws UsageError for what parts cannot answer: near words, and words that are not analysed.
/// Throws as check_query_tree(), too.
void check_tree(const QueryNode& tree);

void put_node(MessageWriter& to, const QueryNode& node);
/// FormatError for more clauses, or more in each other, than a query may have.
QueryNode take_node(MessageReader& from);

/// Calls visit(term) for each term of a query, and of its Query::or_else, that statistics are
/// wanted of; some more than once.
template <class Visit>
void for_each_term_of(const QueryNode& node, const Visit& visit) {
  if (node.kind == QueryNode::Kind::kTerm) visit(node.text);
  using Kind = QueryNode::Kind;
  if (node.kind == Kind::kPhrase || node.kind == Kind::kSynonyms || node.kind == Kind::kFuzzy) {
    for (const std::string& text : node.texts) visit(text);
  }
  for (const auto* clauses : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (const QueryNode& clause : *clauses) for_each_term_of(clause, visit);
  }
}
template <class Visit>
void for_each_term_of(const Query& query, const Visit& visit) {
  for (const QueryTerm& term : query.terms) visit(term.term);
  if (query.tree) for_each_term_of(*query.tree, visit);
  if (query.or_else) for_each_term_of(*query.or_else, visit);
}

}  // namespace warpdex::shards
