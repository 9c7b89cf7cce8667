#include "opensearch/search/word_query.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "opensearch/search/field_groups.hpp"
#include "opensearch/search/field_query.hpp"
#include "opensearch/search/query_text.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::server::opensearch {
namespace {

QueryNode read_clause(const rapidjson::Value& json, const QueryContext& context, std::size_t depth);

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

QueryNode read_match(const rapidjson::Value& json, const QueryContext& context) {
  const auto& member = only_member(json, "[match]");
  const std::string field(member.name.GetString(), member.name.GetStringLength());
  check_field(field, context.fields);
  QueryNode node;
  if (member.value.IsString()) {
    const std::string text(member.value.GetString(), member.value.GetStringLength());
    check_text(text, context);
    node = match_of(text, false);
  } else {
    Parameters members(member.value, "[match] of '" + field + "'");
    node = read_match_members(members, "match", context);
  }
  node.field = clause_field(field, context.fields);
  return node;
}

/// Throws HttpError (400).
[[noreturn]] void refuse_one_text(const std::string& what, const QueryContext& context) {
  throw illegal_argument(what + " is over fields that are one text, and the index searches " +
                         context.fields.names() +
                         " each by itself; ask [multi_match] of the type most_fields");
}

QueryNode read_multi_match(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[multi_match]");
  const auto fields = members.texts("fields").value_or(std::vector<std::string>{"*"});
  check_all_fields(fields, context.fields);
  const std::string type = members.text("type").value_or("best_fields");
  const bool is_known = type == "best_fields" || type == "most_fields" || type == "cross_fields";
  if (!is_known)
    throw illegal_argument("[multi_match] of the type '" + type + "' is not supported");
  if (context.fields.are_separate) {
    if (type == "cross_fields") refuse_one_text("[multi_match] of the type cross_fields", context);
    const QueryNode match = read_match_members(members, "multi_match", context);
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

/// Takes the names of searched fields away. Throws HttpError (400) for others.
void take_fields(QueryNode& node, const QueryContext& context) {
  if (!node.field.empty()) check_field(node.field, context.fields);
  node.field = clause_field(node.field, context.fields);
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

/// Clauses of one kind: an object, or an array of these.
std::vector<QueryNode> read_clauses(Parameters& members, std::string_view name,
                                    const QueryContext& context, std::size_t depth) {
  std::vector<QueryNode> clauses;
  const rapidjson::Value* const json = members.json(name);
  if (json == nullptr) return clauses;
  const auto add = [&](const rapidjson::Value& clause) {
    clauses.push_back(read_clause(clause, context, depth));
  };
  if (!json->IsArray()) {
    add(*json);
  } else {
    for (const auto& clause : json->GetArray()) add(clause);
  }
  return clauses;
}

/// A clause that only excludes matches all others, with a score of 0.
void mend_negative(QueryNode& node) {
  if (node.kind != QueryNode::Kind::kBoolean) return;
  if (!node.must.empty() || !node.should.empty() || !node.filter.empty()) return;
  node.filter.push_back({.kind = QueryNode::Kind::kAll});
}

QueryNode read_bool(const rapidjson::Value& json, const QueryContext& context, std::size_t depth) {
  Parameters members(json, "[bool]");
  QueryNode node{.kind = QueryNode::Kind::kBoolean};
  node.must = read_clauses(members, "must", context, depth);
  node.filter = read_clauses(members, "filter", context, depth);
  node.should = read_clauses(members, "should", context, depth);
  node.must_not = read_clauses(members, "must_not", context, depth);
  node.minimum_should_match = read_minimum(members);
  node.boost = read_boost(members);
  members.finish();
  mend_negative(node);
  return node;
}

QueryNode read_constant_score(const rapidjson::Value& json, const QueryContext& context,
                              std::size_t depth) {
  Parameters members(json, "[constant_score]");
  QueryNode node{.kind = QueryNode::Kind::kConstant, .boost = read_boost(members)};
  node.filter = read_clauses(members, "filter", context, depth);
  members.finish();
  if (node.filter.size() != 1) throw parsing_error("[constant_score] has one 'filter'");
  return node;
}

QueryNode read_dis_max(const rapidjson::Value& json, const QueryContext& context,
                       std::size_t depth) {
  Parameters members(json, "[dis_max]");
  QueryNode node{.kind = QueryNode::Kind::kBest, .boost = read_boost(members)};
  node.tie_breaker = members.real("tie_breaker").value_or(0);
  node.should = read_clauses(members, "queries", context, depth);
  members.finish();
  if (node.should.empty()) throw parsing_error("[dis_max] has no 'queries'");
  return node;
}

QueryNode read_match_all(const rapidjson::Value& json) {
  Parameters members(json, "[match_all]");
  QueryNode node{.kind = QueryNode::Kind::kAll, .boost = read_boost(members)};
  members.finish();
  return node;
}

QueryNode read_named(std::string_view name, const rapidjson::Value& value,
                     const QueryContext& context, std::size_t depth) {
  if (name == "match") return read_match(value, context);
  if (name == "multi_match") return read_multi_match(value, context);
  if (name == "combined_fields") return read_combined_fields(value, context);
  if (name == "match_all") return read_match_all(value);
  if (name == "bool") return read_bool(value, context, depth);
  if (name == "constant_score") return read_constant_score(value, context, depth);
  if (name == "dis_max") return read_dis_max(value, context, depth);
  if (name == "match_none") {
    Parameters(value, "[match_none]").finish();
    return {};
  }
  if (name == "query_string" || name == "simple_query_string") {
    return read_text_query(name, value, context);
  }
  return read_field_query(name, value, context);
}

QueryNode read_clause(const rapidjson::Value& json, const QueryContext& context,
                      std::size_t depth) {
  const auto& member = only_member(json, "a clause");
  const std::string_view name(member.name.GetString(), member.name.GetStringLength());
  if (depth > kMaxQueryDepth) throw illegal_argument("the query's clauses lie too deep");
  if (name != "match_all" && !is_word_query(name)) {
    throw parsing_error("[bool] over [" + std::string(name) + "] is not supported");
  }
  return read_named(name, member.value, context, depth + 1);
}

}  // namespace

bool is_word_query(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "match",     "multi_match", "combined_fields", "match_phrase", "term",
      "terms",     "prefix",      "wildcard",        "fuzzy",        "range",
      "bool",      "dis_max",     "constant_score",  "query_string", "simple_query_string",
      "match_none"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

Query read_word_query(std::string_view name, const rapidjson::Value& value,
                      const QueryContext& context) {
  return question_of(read_named(name, value, context, 0), context);
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
