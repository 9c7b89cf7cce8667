#include "opensearch/search/field_groups.hpp"

#include <algorithm>
#include <utility>

#include "opensearch/search/field_query.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex::server::opensearch {
namespace {

using Kind = QueryNode::Kind;

bool is_group(const QueryNode& node) {
  return node.kind == Kind::kBoolean || node.kind == Kind::kConstant || node.kind == Kind::kBest;
}

/// A match of several words as one of each.
QueryNode word_by_word(const QueryNode& match, const std::vector<SearchedField>& fields) {
  QueryNode all{.kind = Kind::kBoolean, .boost = match.boost, .place = match.place};
  all.minimum_should_match = match.minimum_should_match;
  for (const QueryNode& word : matches_of_words(match)) {
    (match.all_words ? all.must : all.should)
        .push_back(over_fields(word, fields, FieldsType::kBestFields));
  }
  return all;
}

}  // namespace

std::string clause_field(const std::string& name, const IndexFields& fields) {
  return fields.are_separate ? name : std::string();
}

std::vector<SearchedField> read_searched(const std::vector<std::string>& names,
                                         const IndexFields& fields) {
  std::vector<SearchedField> searched;
  for (const std::string& name : names) {
    if (name == "*") {
      for (const std::string& each : fields.searched) searched.push_back({each});
    } else {
      searched.push_back(parse_searched_fields(name).front());
    }
  }
  for (const SearchedField& field : searched) {
    check_field(field.name, fields);
    if (std::ranges::count(searched, field.name, &SearchedField::name) > 1) {
      throw illegal_argument("the field '" + field.name + "' is named twice");
    }
  }
  return searched;
}

void give_fields(QueryNode& node, const std::vector<SearchedField>& fields) {
  if (is_group(node)) {
    for (auto* part : {&node.must, &node.filter, &node.should, &node.must_not}) {
      for (QueryNode& clause : *part) give_fields(clause, fields);
    }
    return;
  }
  if (node.kind == Kind::kNothing || node.kind == Kind::kAll || !node.field.empty()) return;
  node = node.kind == Kind::kMatch ? word_by_word(node, fields)
                                   : over_fields(node, fields, FieldsType::kBestFields);
}

}  // namespace warpdex::server::opensearch
