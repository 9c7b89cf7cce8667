#include "shards/tree_bytes.hpp"

#include <vector>

#include "tree/expansion.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

using Kind = QueryNode::Kind;

void check_kinds(const QueryNode& node) {
  if (node.kind == Kind::kBlended) {
    throw UsageError(
        "words over cross_fields are not searched in parts; take combined_fields, most_fields or "
        "best_fields, or search one index");
  }
  if (node.kind == Kind::kFuzzy && node.texts.empty()) {
    throw UsageError("near words (~) of parts are to be chosen among those of all");
  }
  if (node.kind == Kind::kMatch) throw UsageError("the query's words are not analysed");
  for (const auto* clauses : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (const QueryNode& clause : *clauses) check_kinds(clause);
  }
}

QueryNode take_node_at(MessageReader& from, std::size_t depth, std::size_t& nodes);

std::vector<QueryNode> take_nodes(MessageReader& from, std::size_t depth, std::size_t& nodes) {
  std::vector<QueryNode> taken(from.count(kNodeBytes, kMaxQueryNodes));
  for (QueryNode& node : taken) node = take_node_at(from, depth, nodes);
  return taken;
}

QueryNode take_node_at(MessageReader& from, std::size_t depth, std::size_t& nodes) {
  // A root above the groups, and a word below.
  if (++nodes > kMaxQueryNodes + 1 || depth > kMaxQueryDepth + 1) fail_message("a tree too large");
  QueryNode node;
  node.kind = from.choice(Kind::kCombined);
  node.boost = from.number<float>();
  node.field = from.text();
  node.text = from.text();
  node.upper = from.text();
  node.includes_lower = from.flag();
  node.includes_upper = from.flag();
  node.slop = from.number<std::uint32_t>();
  node.edits = from.number<std::uint32_t>();
  node.tie_breaker = from.number<float>();
  node.minimum_should_match = from.number<std::uint32_t>();
  node.texts.resize(from.count(sizeof(std::uint32_t), kMaxExpandedTerms));
  for (std::string& text : node.texts) text = from.text();
  node.positions.resize(from.count(sizeof(std::uint32_t), kMaxQueryNodes));
  for (std::uint32_t& position : node.positions) position = from.number<std::uint32_t>();
  node.must = take_nodes(from, depth + 1, nodes);
  node.filter = take_nodes(from, depth + 1, nodes);
  node.should = take_nodes(from, depth + 1, nodes);
  node.must_not = take_nodes(from, depth + 1, nodes);
  return node;
}

}  // namespace

void check_tree(const QueryNode& tree) {
  check_query_tree(tree);
  check_kinds(tree);
}

void put_node(MessageWriter& to, const QueryNode& node) {
  to.choice(node.kind);
  to.number(node.boost);
  to.text(node.field);
  to.text(node.text);
  to.text(node.upper);
  to.flag(node.includes_lower);
  to.flag(node.includes_upper);
  to.number(node.slop);
  to.number(node.edits);
  to.number(node.tie_breaker);
  to.number(node.minimum_should_match);
  to.count(node.texts.size());
  for (const std::string& text : node.texts) to.text(text);
  to.count(node.positions.size());
  for (const std::uint32_t position : node.positions) to.number(position);
  for (const auto* clauses : {&node.must, &node.filter, &node.should, &node.must_not}) {
    to.count(clauses->size());
    for (const QueryNode& clause : *clauses) put_node(to, clause);
  }
}

QueryNode take_node(MessageReader& from) {
  std::size_t nodes = 0;
  return take_node_at(from, 0, nodes);
}

}  // namespace warpdex::shards
