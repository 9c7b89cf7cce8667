// Reads OpenSearch's query objects of one clause.
#include "syntax/json_leaves.hpp"

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "syntax/json_members.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex {
namespace {

using rapidjson::Value;

std::string_view text_of_json(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// "*" stands for the fields that words search.
std::string field_of_name(std::string name) { return name == "*" ? std::string() : name; }

/// AUTO: 0 edits to a length of 2 characters, 1 to one of 5, else 2.
std::uint32_t usual_edits(const std::string& text) {
  std::size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return characters <= 2 ? 0 : characters <= 5 ? 1 : 2;
}

/// What stands behind the name of a query of one field: {"title": "text"}, or
/// {"title": {"query": "text", …}}.
struct FieldObject {
  FieldObject(const Value& value, const std::string& place, const char* text_name)
      : outer(value, place), member(outer.only("field")), field(text_of_json(member.name)) {
    if (const auto scalar = json_scalar(member.value)) {
      text = *scalar;
      return;
    }
    inner.emplace(member.value, outer.place_of(field));
    std::optional<std::string> given = inner->text(text_name);
    if (!given) refuse_json(inner->place(), "there is no '" + std::string(text_name) + "'");
    text = std::move(*given);
  }

  /// The clause, once all options are read.
  QueryNode node(QueryNode::Kind kind) {
    QueryNode made{.kind = kind, .field = field_of_name(field), .text = text};
    made.path = outer.place_of(field);
    if (!inner) return made;
    made.boost = inner->boost();
    inner->finish();
    return made;
  }

  JsonMembers outer;
  const Value::Member& member;
  std::string field;
  std::optional<JsonMembers> inner{};
  std::string text{};
};

void read_match_options(JsonMembers& members, QueryNode& node) {
  node.all_words = members.choice("operator", {"or", "and"}) == 1;
  const std::uint32_t least = members.whole("minimum_should_match", kMaxQueryNodes).value_or(0);
  if (!node.all_words) node.minimum_should_match = least;
}

QueryNode read_match(const Value& value, const std::string& place) {
  FieldObject object(value, place, "query");
  QueryNode options;
  if (object.inner) read_match_options(*object.inner, options);
  QueryNode node = object.node(QueryNode::Kind::kMatch);
  node.all_words = options.all_words;
  node.minimum_should_match = options.minimum_should_match;
  node.may_vanish = false;
  return node;
}

QueryNode read_phrase(const Value& value, const std::string& place) {
  FieldObject object(value, place, "query");
  const std::uint32_t slop = object.inner ? object.inner->whole("slop", 1'000'000).value_or(0) : 0;
  QueryNode node = object.node(QueryNode::Kind::kPhrase);
  node.slop = slop;
  node.may_vanish = false;
  return node;
}

QueryNode read_fuzzy(const Value& value, const std::string& place) {
  FieldObject object(value, place, "value");
  std::size_t given = 0;
  if (object.inner) given = object.inner->choice("fuzziness", {"auto", "0", "1", "2"});
  QueryNode node = object.node(QueryNode::Kind::kFuzzy);
  node.edits = given == 0 ? usual_edits(node.text) : static_cast<std::uint32_t>(given - 1);
  return node;
}

/// {"terms": {"field": ["one", "two"], "boost": 2}}
QueryNode read_terms(const Value& value, const std::string& place) {
  JsonMembers members(value, place);
  QueryNode node{.kind = QueryNode::Kind::kAny, .boost = members.boost()};
  const std::string field(text_of_json(members.only("field").name));
  node.path = members.place_of(field);
  std::optional<std::vector<std::string>> texts = members.texts(field);
  if (!texts) refuse_json(node.path, "an array of texts stands here, […]");
  node.texts = std::move(*texts);
  node.field = field_of_name(field);
  return node;
}

QueryNode read_range(const Value& value, const std::string& place) {
  JsonMembers outer(value, place);
  const auto& member = outer.only("field");
  const std::string field(text_of_json(member.name));
  JsonMembers members(member.value, outer.place_of(field));
  QueryNode node{.kind = QueryNode::Kind::kRange, .boost = members.boost()};
  node.field = field_of_name(field);
  node.path = members.place();
  bool has_limit[2] = {false, false};
  for (const auto& [name, end, is_included] :
       {std::tuple{"gte", 0, true}, {"gt", 0, false}, {"lte", 1, true}, {"lt", 1, false}}) {
    const auto text = members.text(name);
    if (!text) continue;
    if (has_limit[end]) refuse_json(members.place(), "there are two limits at one end");
    has_limit[end] = true;
    (end == 0 ? node.text : node.upper) = *text;
    (end == 0 ? node.includes_lower : node.includes_upper) = is_included;
  }
  members.finish();
  return node;
}

/// A clause of {"boost": …} and one text.
QueryNode read_exists(const Value& value, const std::string& place) {
  JsonMembers members(value, place);
  QueryNode node{.kind = QueryNode::Kind::kPrefix, .boost = members.boost()};
  const auto field = members.text("field");
  members.finish();
  if (!field) refuse_json(place, "there is no 'field'");
  node.field = field_of_name(*field);
  node.path = place;
  return node;
}

QueryNode read_ids(const Value& value, const std::string& place) {
  JsonMembers members(value, place);
  QueryNode node{.kind = QueryNode::Kind::kColumns, .boost = members.boost()};
  const auto ids = members.texts("values");
  members.finish();
  if (!ids) refuse_json(place, "there are no 'values'");
  node.path = place;
  if (ids->empty()) return {};
  node.text = filter_text({.kind = FilterNode::Kind::kIn, .field = "id", .values = *ids});
  return node;
}

/// {"query": …, "fields": ["title^2", "body"]}; multi_match without fields: those that words
/// search.
QueryNode read_multi_match(const Value& value, const std::string& place, bool is_combined) {
  JsonMembers members(value, place);
  const auto text = members.text("query");
  if (!text) refuse_json(place, "there is no 'query'");
  QueryNode node{.kind = QueryNode::Kind::kMatch, .boost = members.boost(), .text = *text};
  node.path = place;
  node.may_vanish = false;
  read_match_options(members, node);
  FieldsType type = FieldsType::kCombinedFields;
  if (!is_combined) {
    constexpr std::array kTypes{FieldsType::kBestFields, FieldsType::kMostFields,
                                FieldsType::kCrossFields};
    type = kTypes[members.choice("type", {"best_fields", "most_fields", "cross_fields"})];
    if (type != FieldsType::kMostFields) node.tie_breaker = members.tie_breaker();
  }
  const auto names = members.texts("fields");
  members.finish();
  if (!names && is_combined) refuse_json(place, "there are no 'fields'");
  if (!names) {
    if (type == FieldsType::kCrossFields) node.kind = QueryNode::Kind::kBlended;
    return node;
  }
  std::vector<SearchedField> fields;
  for (const std::string& name : *names) {
    try {
      fields.push_back(parse_searched_fields(name).front());
    } catch (const UsageError& error) {
      refuse_json(place + ".fields", error.what());
    }
  }
  return over_fields(node, fields, type);
}

/// In the syntax `lucene`.
QueryNode read_query_string(const Value& value, const std::string& place) {
  JsonMembers members(value, place);
  const auto text = members.text("query");
  if (!text) refuse_json(place, "there is no 'query'");
  const bool are_required = members.choice("default_operator", {"or", "and"}) == 1;
  QueryNode around{.kind = QueryNode::Kind::kBoolean, .boost = members.boost()};
  members.finish();
  QueryNode node;
  try {
    node = parse_lucene(*text, are_required ? DefaultOperator::kAnd : DefaultOperator::kOr);
  } catch (const InputError& error) {
    refuse_json(place + ".query", error.what());
  }
  mend_negative(node);
  if (around.boost == 1) return node;
  around.should.push_back(std::move(node));
  return around;
}

QueryNode read_match_all(const Value& value, const std::string& place) {
  JsonMembers members(value, place);
  QueryNode node{.kind = QueryNode::Kind::kAll, .boost = members.boost()};
  members.finish();
  return node;
}

}  // namespace

std::optional<QueryNode> read_json_leaf(std::string_view name, const Value& value,
                                        const std::string& place) {
  using Kind = QueryNode::Kind;
  if (name == "match") return read_match(value, place);
  if (name == "match_phrase") return read_phrase(value, place);
  if (name == "multi_match") return read_multi_match(value, place, false);
  if (name == "combined_fields") return read_multi_match(value, place, true);
  if (name == "query_string") return read_query_string(value, place);
  if (name == "term") return FieldObject(value, place, "value").node(Kind::kTerm);
  if (name == "terms") return read_terms(value, place);
  if (name == "range") return read_range(value, place);
  if (name == "prefix") return FieldObject(value, place, "value").node(Kind::kPrefix);
  if (name == "wildcard") return FieldObject(value, place, "value").node(Kind::kWildcard);
  if (name == "fuzzy") return read_fuzzy(value, place);
  if (name == "exists") return read_exists(value, place);
  if (name == "ids") return read_ids(value, place);
  if (name == "match_all") return read_match_all(value, place);
  if (name != "match_none") return std::nullopt;
  JsonMembers(value, place).finish();
  return QueryNode{};
}

QueryNode over_fields(const QueryNode& clause, const std::vector<SearchedField>& fields,
                      FieldsType type) {
  if (type == FieldsType::kCombinedFields || type == FieldsType::kCrossFields) {
    QueryNode combined = clause;
    combined.kind = type == FieldsType::kCombinedFields ? QueryNode::Kind::kCombined
                                                        : QueryNode::Kind::kBlended;
    for (const SearchedField& field : fields) {
      combined.should.push_back(
          {.kind = QueryNode::Kind::kMatch, .boost = field.weight, .field = field.name});
    }
    return combined;
  }
  const bool is_best = type == FieldsType::kBestFields;
  QueryNode any{.kind = is_best ? QueryNode::Kind::kBest : QueryNode::Kind::kBoolean,
                .tie_breaker = is_best ? clause.tie_breaker : 0,
                .place = clause.place,
                .path = clause.path};
  for (const SearchedField& field : fields) {
    if (field.weight == 0) continue;
    any.should.push_back(clause);
    any.should.back().field = field.name;
    any.should.back().boost *= field.weight;
  }
  if (any.should.empty()) return {};
  return any.should.size() == 1 ? std::move(any.should[0]) : any;
}

}  // namespace warpdex
