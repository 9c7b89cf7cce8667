#include "opensearch/search/column_query.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "http/json_values.hpp"
#include "opensearch/search/field_query.hpp"
#include "opensearch/search/word_query.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/query/filter/filter.hpp"

namespace warpdex::server::opensearch {
namespace {

std::string_view name_in(const rapidjson::Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

/// Calls visit(clause) for one clause or all of an array.
void for_each_clause(const rapidjson::Value& json,
                     const std::function<void(const rapidjson::Value&)>& visit) {
  if (!json.IsArray()) return visit(json);
  for (const auto& clause : json.GetArray()) visit(clause);
}

/// Of {"term": {"year": …}}: the first member that is no option.
std::string field_asked(const rapidjson::Value& json) {
  if (!json.IsObject()) return "";
  for (const auto& member : json.GetObject()) {
    if (name_in(member) != "boost") return std::string(name_in(member));
  }
  return "";
}

bool are_column_clauses(const rapidjson::Value& json, const IndexFields& fields) {
  if (!json.IsObject()) return false;
  bool are = true;
  bool is_any = false;
  for (const auto& member : json.GetObject()) {
    const std::string_view name = name_in(member);
    if (name == "boost" || name == "minimum_should_match") continue;
    for_each_clause(member.value, [&](const rapidjson::Value& clause) {
      is_any = true;
      are = are && is_column_query(clause, fields);
    });
  }
  return are && is_any;
}

/// A value as text that the column's filters take.
std::string column_text(const Field& field, const rapidjson::Value& json) try {
  const auto values = values_of_json(json);
  if (!values || values->size() != 1) {
    throw illegal_argument("a value of '" + field.name + "' is no text, number, true or false");
  }
  const FieldValue& value = (*values)[0];
  if (const auto* text = std::get_if<std::string>(&value)) {
    return value_text(field, value_of_text(field, *text));
  }
  if (field.type != FieldType::kKeyword) return value_text(field, value_for(field, value));
  const FieldType type = std::holds_alternative<bool>(value)     ? FieldType::kBool
                         : std::holds_alternative<double>(value) ? FieldType::kFloat
                                                                 : FieldType::kInt;
  return value_text({.name = field.name, .type = type}, value);
} catch (const InputError& error) {
  throw illegal_argument(error.what());
}

FilterNode node_of(const Field& field, FilterNode::Kind kind) {
  FilterNode node;
  node.kind = kind;
  node.field = field.name;
  return node;
}

FilterNode read_term(const std::string& query, const rapidjson::Value& json, const Field& field) {
  FilterNode node = node_of(field, FilterNode::Kind::kIn);
  const rapidjson::Value& value = json[field.name.c_str()];
  if (!value.IsObject()) {
    node.values = {column_text(field, value)};
    return node;
  }
  Parameters members(value, "[" + query + "] of '" + field.name + "'");
  const auto* inner = members.json(query == "match" ? "query" : "value");
  read_boost(members);
  members.finish();
  if (inner == nullptr) throw parsing_error("[" + query + "] of '" + field.name + "' has no value");
  node.values = {column_text(field, *inner)};
  return node;
}

FilterNode read_terms_of(const rapidjson::Value& json, const Field& field) {
  FilterNode node = node_of(field, FilterNode::Kind::kIn);
  const rapidjson::Value& values = json[field.name.c_str()];
  if (!values.IsArray()) throw parsing_error("[terms] of '" + field.name + "' is no array");
  for (const auto& value : values.GetArray()) node.values.push_back(column_text(field, value));
  return node;
}

FilterNode read_range_of(const rapidjson::Value& json, const Field& field) {
  FilterNode node = node_of(field, FilterNode::Kind::kRange);
  node.values = {"", ""};
  Parameters members(json[field.name.c_str()], "[range] of '" + field.name + "'");
  read_boost(members);
  for (const auto& [name, place, includes] :
       {std::tuple{"gte", 0U, true}, {"gt", 0U, false}, {"lte", 1U, true}, {"lt", 1U, false}}) {
    const rapidjson::Value* const limit = members.json(name);
    if (limit == nullptr || limit->IsNull()) continue;
    if (!node.values[place].empty()) {
      throw parsing_error("[range] of '" + field.name + "' has two limits at one end");
    }
    node.values[place] = column_text(field, *limit);
    (place == 0 ? node.includes_lower : node.includes_upper) = includes;
  }
  members.finish();
  return node;
}

FilterNode read_node(const rapidjson::Value& json, const QueryContext& context, std::size_t depth);

std::vector<FilterNode> read_nodes(Parameters& members, std::string_view name,
                                   const QueryContext& context, std::size_t depth) {
  std::vector<FilterNode> nodes;
  const rapidjson::Value* const json = members.json(name);
  if (json == nullptr) return nodes;
  for_each_clause(*json, [&](const rapidjson::Value& clause) {
    nodes.push_back(read_node(clause, context, depth));
  });
  return nodes;
}

FilterNode joined(FilterNode::Kind kind, std::vector<FilterNode> nodes) {
  FilterNode node;
  node.kind = kind;
  node.clauses = std::move(nodes);
  return node;
}

FilterNode read_bool_of(const rapidjson::Value& json, const QueryContext& context,
                        std::size_t depth) {
  Parameters members(json, "[bool]");
  std::vector<FilterNode> all = read_nodes(members, "must", context, depth);
  for (FilterNode& node : read_nodes(members, "filter", context, depth)) {
    all.push_back(std::move(node));
  }
  std::vector<FilterNode> should = read_nodes(members, "should", context, depth);
  const auto least = members.whole("minimum_should_match", 0, 1);
  if (!should.empty() && least.value_or(all.empty() ? 1 : 0) == 1) {
    all.push_back(joined(FilterNode::Kind::kOr, std::move(should)));
  }
  for (FilterNode& node : read_nodes(members, "must_not", context, depth)) {
    all.push_back(joined(FilterNode::Kind::kNot, {std::move(node)}));
  }
  read_boost(members);
  members.finish();
  return all.empty() ? FilterNode() : joined(FilterNode::Kind::kAnd, std::move(all));
}

FilterNode read_node(const rapidjson::Value& json, const QueryContext& context, std::size_t depth) {
  if (depth > kMaxQueryDepth / 2) throw illegal_argument("the query's clauses lie too deep");
  const auto& member = only_member(json, "a clause");
  const std::string name(name_in(member));
  const rapidjson::Value& value = member.value;
  if (name == "bool") return read_bool_of(value, context, depth + 1);
  if (name == "constant_score") return read_node(value["filter"], context, depth + 1);
  Parameters members(value, "[" + name + "]");
  if (name == "ids") {
    FilterNode node;
    node.kind = FilterNode::Kind::kIn;
    node.field = "id";
    node.values = members.texts("values").value_or(std::vector<std::string>());
    return node;
  }
  if (name == "exists") {
    const auto field = members.text("field");
    members.finish();
    return node_of(*context.fields.column(*field), FilterNode::Kind::kExists);
  }
  const Field& field = *context.fields.column(field_asked(value));
  members.json(field.name);
  read_boost(members);
  members.finish();
  if (name == "terms") return read_terms_of(value, field);
  if (name == "range") return read_range_of(value, field);
  return read_term(name, value, field);
}

}  // namespace

bool is_column_query(const rapidjson::Value& json, const IndexFields& fields) {
  if (!json.IsObject() || json.MemberCount() != 1) return false;
  const auto& member = *json.MemberBegin();
  const std::string_view name = name_in(member);
  const rapidjson::Value& value = member.value;
  if (name == "ids") return true;
  if (name == "bool") return are_column_clauses(value, fields);
  if (name == "constant_score") {
    return value.IsObject() && value.HasMember("filter") &&
           is_column_query(value["filter"], fields);
  }
  if (name == "exists") {
    return value.IsObject() && value.HasMember("field") && value["field"].IsString() &&
           fields.column(value["field"].GetString()) != nullptr;
  }
  const bool is_of_field = name == "term" || name == "terms" || name == "range" || name == "match";
  return is_of_field && fields.column(field_asked(value)) != nullptr;
}

std::string read_column_query(const rapidjson::Value& json, const QueryContext& context) {
  return filter_text(read_node(json, context, 0));
}

std::string both_filters(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one + other;
  return "(" + one + ") AND (" + other + ")";
}

}  // namespace warpdex::server::opensearch
