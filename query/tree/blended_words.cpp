// Words over several fields, of which the best counts: cross_fields.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "tree/analyzed_tree.hpp"
#include "tree/words_of_fields.hpp"

namespace warpdex {

/// Fields of one analyzer together; of such groups the best one counts.
std::optional<QueryNode> TreeAnalyzer::blended(const QueryNode& node,
                                               std::span<const Searched> fields) {
  if (fields.empty()) return QueryNode{};
  QueryNode best{.kind = QueryNode::Kind::kBest,
                 .tie_breaker = node.tie_breaker,
                 .place = node.place,
                 .path = node.path};
  for (const Searched& first : fields) {
    const auto is_like_first = [&](const Searched& other) {
      return texts_.first_like(other.field) == texts_.first_like(first.field);
    };
    if (&*std::ranges::find_if(fields, is_like_first) != &first) continue;  // in an earlier group
    std::vector<Searched> group;
    std::ranges::copy_if(fields, std::back_inserter(group), is_like_first);
    if (auto one = blended_group(node, group)) best.should.push_back(std::move(*one));
  }
  if (best.should.size() > 1) return best;
  if (!best.should.empty()) return std::move(best.should[0]);
  return node.may_vanish ? std::nullopt : std::optional(QueryNode{});
}

/// Of fields of one analyzer, which makes the same words for each.
std::optional<QueryNode> TreeAnalyzer::blended_group(const QueryNode& node,
                                                     std::span<const Searched> fields) {
  std::vector<std::vector<QueryNode>> by_field;
  for (const Searched& searched : fields) {
    set_field(searched.field);
    by_field.push_back(word_clauses(node));
  }
  QueryNode all{.kind = QueryNode::Kind::kBoolean, .boost = node.boost, .place = node.place};
  all.minimum_should_match = node.minimum_should_match;
  std::vector<QueryNode>& found = node.all_words ? all.must : all.should;
  for (std::size_t i = 0; i < by_field[0].size(); ++i) {
    std::vector<QueryNode> word;
    for (std::vector<QueryNode>& clauses : by_field) word.push_back(std::move(clauses[i]));
    if (word.size() > 1) {
      found.push_back(join_fields(QueryNode::Kind::kBlended, word, fields));
      found.back().tie_breaker = node.tie_breaker;
      continue;
    }
    word[0].boost *= fields[0].weight;
    found.push_back(std::move(word[0]));
  }
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) return all;
  found[0].boost *= node.boost;
  return std::move(found[0]);
}

}  // namespace warpdex
