// Checks trees that programs made, and takes matches apart.

#include <algorithm>
#include <cmath>
#include <string_view>

#include "warpdex/core/error.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {
namespace {

void check_node(const QueryNode& node, std::size_t depth, std::size_t& nodes) {
  nodes += 1 + node.texts.size();
  if (nodes > kMaxQueryNodes + 1) {  // the root is none
    throw InputError("the query has more than " + std::to_string(kMaxQueryNodes) +
                     " clauses; search for fewer at a time");
  }
  if (depth > kMaxQueryDepth + 1) {  // a root above them, and a word below
    throw InputError("more than " + std::to_string(kMaxQueryDepth) +
                     " clauses of the query lie in each other");
  }
  if (node.boost != 0 && !(node.boost >= kMinQueryWeight && node.boost <= kMaxQueryWeight)) {
    throw UsageError("a boost of the query is not 0 and not from 1e-9 to 1e9");
  }
  if (node.edits > 2) throw UsageError("a fuzzy clause takes 0, 1 or 2 edits");
  if (!(node.tie_breaker >= 0 && node.tie_breaker <= 1)) {
    throw UsageError("a tie_breaker of the query is not from 0 to 1");
  }
  if (node.kind == QueryNode::Kind::kConstant && node.filter.size() != 1) {
    throw UsageError("a clause of constant score has one filter");
  }
  for (const auto* part : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (const QueryNode& clause : *part) check_node(clause, depth + 1, nodes);
  }
}

}  // namespace

void check_query_tree(const QueryNode& tree) {
  std::size_t nodes = 0;
  check_node(tree, 0, nodes);
}

std::vector<QueryNode> matches_of_words(const QueryNode& match) {
  constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
  std::vector<QueryNode> words;
  const std::string_view text = match.text;
  for (std::size_t start = text.find_first_not_of(kWhiteSpace); start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kWhiteSpace, start), text.size());
    QueryNode& word = words.emplace_back(match);
    word.boost = 1;
    word.minimum_should_match = 0;
    word.text = text.substr(start, end - start);
    start = text.find_first_not_of(kWhiteSpace, end);
  }
  return words;
}

}  // namespace warpdex
