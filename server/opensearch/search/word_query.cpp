#include "opensearch/search/word_query.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "opensearch/search/field_groups.hpp"
#include "opensearch/search/field_query.hpp"
#include "opensearch/search/query_text.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex::server::opensearch {
namespace {

std::string wanted_text(Parameters& members, std::string_view name, std::string_view query) {
  if (auto text = members.text(name)) return *text;
  throw parsing_error("[" + std::string(query) + "] has no '" + std::string(name) + "'");
}

/// A whole number, as such or as text.
std::uint32_t read_minimum(Parameters& members) {
  const rapidjson::Value* const json = members.json("minimum_should_match");
  if (json == nullptr) return 0;
  std::uint32_t number = 0;
  if (json->IsUint()) {
    number = json->GetUint();
  } else if (json->IsString()) {
    const std::string_view text(json->GetString(), json->GetStringLength());
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return number;
    throw illegal_argument("'minimum_should_match' is a whole number here");
  } else {
    throw illegal_argument("'minimum_should_match' is a whole number here");
  }
  return number;
}

QueryNode match_of(std::string text, bool are_required) {
  QueryNode node{.kind = QueryNode::Kind::kMatch, .text = std::move(text)};
  node.all_words = are_required;
  node.may_vanish = false;
  return node;
}

/// The members query, operator, minimum_should_match and boost.
QueryNode read_match_members(Parameters& members, std::string_view name,
                             const QueryContext& context) {
  std::string text = wanted_text(members, "query", name);
  check_text(text, context);
  QueryNode node = match_of(std::move(text), read_operator(members, "operator"));
  node.boost = read_boost(members);
  if (!node.all_words) node.minimum_should_match = read_minimum(members);
  members.finish();
  return node;
}

/// Of scores that are not added, 0 to 1; 0 by default.
float read_tie_breaker(Parameters& members, std::string_view type) {
  if (type == "most_fields") return 0;
  const float tie_breaker = members.real("tie_breaker").value_or(0);
  if (tie_breaker >= 0 && tie_breaker <= 1) return tie_breaker;
  throw illegal_argument("'tie_breaker' is not from 0 to 1");
}

QueryNode read_multi_match(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[multi_match]");
  const auto fields = members.texts("fields").value_or(std::vector<std::string>{"*"});
  check_all_fields(fields, context.fields);
  const std::string type = members.text("type").value_or("best_fields");
  const bool is_known = type == "best_fields" || type == "most_fields" || type == "cross_fields";
  if (!is_known)
    throw illegal_argument("[multi_match] of the type '" + type + "' is not supported");
  const float tie_breaker = read_tie_breaker(members, type);
  if (context.fields.are_separate) {
    QueryNode match = read_match_members(members, "multi_match", context);
    match.tie_breaker = tie_breaker;
    return over_fields(match, read_searched(fields, context.fields), fields_type_from_name(type));
  }
  if (context.fields.searched.size() > 1 && type != "cross_fields") {
    throw illegal_argument("the index searches " + context.fields.names() +
                           " as one text; ask [multi_match] of the type cross_fields, not " + type);
  }
  return read_match_members(members, "multi_match", context);
}

QueryNode read_combined_fields(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[combined_fields]");
  const auto fields = members.texts("fields");
  if (!fields) throw parsing_error("[combined_fields] has no 'fields'");
  if (context.fields.are_separate) {
    const QueryNode match = read_match_members(members, "combined_fields", context);
    return over_fields(match, read_searched(*fields, context.fields), FieldsType::kCombinedFields);
  }
  check_all_fields(*fields, context.fields);
  return read_match_members(members, "combined_fields", context);
}

/// Takes the names of searched fields away, and checks texts. Throws HttpError (400) for others
/// than searched fields and columns.
void take_fields(QueryNode& node, const QueryContext& context) {
  check_text(node.text, context);
  for (const std::string& text : node.texts) check_text(text, context);
  if (!node.field.empty() && context.fields.column(node.field) == nullptr) {
    check_field(node.field, context.fields);
    node.field = clause_field(node.field, context.fields);
  }
  for (auto* part : {&node.must, &node.filter, &node.should, &node.must_not}) {
    for (QueryNode& clause : *part) take_fields(clause, context);
  }
}

QueryNode boosted(QueryNode node, float boost) {
  if (boost == 1) return node;
  QueryNode around{.kind = QueryNode::Kind::kBoolean, .boost = boost};
  around.should.push_back(std::move(node));
  return around;
}

QueryNode read_text_query(std::string_view name, const rapidjson::Value& json,
                          const QueryContext& context) {
  Parameters members(json, "[" + std::string(name) + "]");
  const std::string text = wanted_text(members, "query", name);
  std::vector<std::string> fields = members.texts("fields").value_or(std::vector<std::string>());
  if (!fields.empty()) check_all_fields(fields, context.fields);
  const bool is_simple = name == "simple_query_string";
  if (!is_simple) {
    if (const auto field = members.text("default_field")) {
      check_all_fields({*field}, context.fields);
      if (fields.empty()) fields = {*field};
    }
  }
  const bool are_required = read_operator(members, "default_operator");
  const float boost = read_boost(members);
  members.finish();
  if (fields.empty()) fields = {"*"};
  QueryNode node = is_simple ? read_simple_query_string(text, context, are_required)
                             : read_query_string(text, context, are_required, fields);
  if (is_simple && context.fields.are_separate) {
    give_fields(node, read_searched(fields, context.fields));
  }
  return boosted(std::move(node), boost);
}

/// A query that is OpenSearch's alone, or that asks for all fields of one text.
std::optional<QueryNode> read_own(std::string_view name, const rapidjson::Value& value,
                                  const QueryContext& context) {
  if (name == "multi_match") return read_multi_match(value, context);
  if (name == "combined_fields") return read_combined_fields(value, context);
  if (name != "query_string" && name != "simple_query_string") return std::nullopt;
  return read_text_query(name, value, context);
}

}  // namespace

bool is_word_query(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "match",  "multi_match", "combined_fields", "match_phrase", "term",
      "terms",  "prefix",      "wildcard",        "fuzzy",        "range",
      "bool",   "dis_max",     "constant_score",  "query_string", "simple_query_string",
      "exists", "match_none"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

QueryNode read_word_query(std::string_view name, const rapidjson::Value& value,
                          const QueryContext& context) {
  QueryNode node = read_json_query(
      name, value, "query",
      [&](std::string_view own, const rapidjson::Value& of) { return read_own(own, of, context); });
  take_fields(node, context);
  return node;
}

QueryNode read_query_string(const std::string& text, const QueryContext& context, bool are_required,
                            const std::vector<std::string>& fields) {
  check_text(text, context);
  QueryNode node = parse_lucene(text, are_required ? DefaultOperator::kAnd : DefaultOperator::kOr);
  take_fields(node, context);
  if (context.fields.are_separate) give_fields(node, read_searched(fields, context.fields));
  mend_negative(node);
  return node;
}

Query question_of(const QueryNode& tree, const QueryContext& context) {
  Query query = context.searcher.parse_tree(tree);
  if (query.terms.size() <= context.limits.clauses) return query;
  throw HttpError(400, "too_many_clauses",
                  "the query has " + std::to_string(query.terms.size()) + " words; " +
                      std::to_string(context.limits.clauses) + " are allowed");
}

const rapidjson::Value::Member& only_member(const rapidjson::Value& json, std::string_view what) {
  if (!json.IsObject() || json.MemberCount() != 1) {
    throw parsing_error(std::string(what) + " must be an object with one member");
  }
  return *json.MemberBegin();
}

bool read_operator(Parameters& members, std::string_view name) {
  const std::string given = members.text(name).value_or("or");
  if (same_without_case(given, "and")) return true;
  if (same_without_case(given, "or")) return false;
  throw illegal_argument("'" + std::string(name) + "' is and or or, not '" + given + "'");
}

}  // namespace warpdex::server::opensearch
