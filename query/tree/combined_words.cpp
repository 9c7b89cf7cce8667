// Words over several fields that are scored as one.
#include <algorithm>
#include <utility>

#include "tree/analyzed_tree.hpp"
#include "tree/words_of_fields.hpp"

namespace warpdex {
namespace {

using Searched = TextAnalyzers::Searched;

/// A field that is named several times has the sum of its weights.
std::vector<Searched> each_once(std::span<const Searched> named) {
  std::vector<Searched> fields;
  for (const Searched& one : named) {
    const auto known = std::ranges::find(fields, one.field, &Searched::field);
    if (known != fields.end()) {
      known->weight += one.weight;
    } else {
      fields.push_back(one);
    }
  }
  return fields;
}

}  // namespace

/// The fields that a combined clause names.
std::vector<TextAnalyzers::Searched> TreeAnalyzer::fields_of(const QueryNode& node) {
  std::vector<Searched> fields;
  for (const QueryNode& one : node.should) {
    const std::optional<std::size_t> field = texts_.find(one.field);
    if (!field) {
      refuse_clause(node,
                    "the index has no field '" + one.field + "'; it has " + texts_.list_of_names());
    }
    if (one.boost > 0) fields.push_back({*field, one.boost});
  }
  return fields;
}

/// Each word in all of these fields as one.
std::optional<QueryNode> TreeAnalyzer::combined(const QueryNode& node,
                                                std::span<const Searched> named) {
  if (named.empty()) return QueryNode{};
  const std::vector<Searched> fields = each_once(named);
  texts_[fields[0].field].analyze(node.text, terms_);
  const std::vector<std::string> words(terms_.begin(), terms_.end());
  for (const Searched& searched : fields) {
    texts_[searched.field].analyze(node.text, terms_);
    const bool has_same_rules =
        !synonyms_ || texts_.first_like(searched.field) == texts_.first_like(fields[0].field);
    if (has_same_rules && std::ranges::equal(words, terms_)) continue;
    refuse_clause(node, "fields are combined that have one analyzer, and '" +
                            texts_.name(searched.field) + "' has another than '" +
                            texts_.name(fields[0].field) + "'");
  }
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
    found.push_back(join_fields(QueryNode::Kind::kCombined, word, fields));
  }
  if (found.empty()) return node.may_vanish ? std::nullopt : std::optional(QueryNode{});
  if (found.size() > 1) return all;
  found[0].boost = node.boost;
  return std::move(found[0]);
}

}  // namespace warpdex
