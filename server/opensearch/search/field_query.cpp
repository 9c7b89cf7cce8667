#include "opensearch/search/field_query.hpp"

#include <optional>
#include <tuple>
#include <utility>

#include "opensearch/search/field_groups.hpp"
#include "opensearch/search/word_query.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::server::opensearch {
namespace {

/// The one member of a query of one field, {"title": "text"} or {"title": {"value": "text"}}, and
/// what else the inner object has.
struct FieldQuery {
  FieldQuery(std::string_view name, const rapidjson::Value& json, const QueryContext& context,
             std::string_view text_name = "value")
      : member(only_member(json, "[" + std::string(name) + "]")),
        field(member.name.GetString(), member.name.GetStringLength()) {
    check_field(field, context.fields);
    own_field = clause_field(field, context.fields);
    if (member.value.IsString()) {
      text.assign(member.value.GetString(), member.value.GetStringLength());
    } else {
      members.emplace(member.value, "[" + std::string(name) + "] of '" + field + "'");
      text = members->text(text_name).value_or("");
      boost = read_boost(*members);
    }
    if (text.empty()) {
      throw illegal_argument("[" + std::string(name) + "] of '" + field + "' is empty");
    }
    check_text(text, context);
  }
  QueryNode node(QueryNode::Kind kind) {
    if (members) members->finish();
    return {.kind = kind, .boost = boost, .field = own_field, .text = text};
  }

  const rapidjson::Value::Member& member;
  std::string field;
  std::string own_field{};  ///< of the clause
  std::optional<Parameters> members{};
  std::string text{};
  float boost = 1;
};

QueryNode read_phrase(const rapidjson::Value& json, const QueryContext& context) {
  FieldQuery query("match_phrase", json, context, "query");
  std::optional<std::uint64_t> slop;
  if (query.members) slop = query.members->whole("slop", 0, 1'000'000);
  QueryNode node = query.node(QueryNode::Kind::kPhrase);
  node.slop = static_cast<std::uint32_t>(slop.value_or(0));
  node.may_vanish = false;
  return node;
}

/// AUTO is 0 edits to a length of 2, 1 to one of 5, else 2.
std::uint32_t edits_of(const std::string& fuzziness, const std::string& text) {
  if (same_without_case(fuzziness, "auto")) return text.size() <= 2 ? 0 : text.size() <= 5 ? 1 : 2;
  if (fuzziness == "0" || fuzziness == "1" || fuzziness == "2") {
    return static_cast<std::uint32_t>(fuzziness[0] - '0');
  }
  throw illegal_argument("'fuzziness' is 0, 1, 2 or AUTO, not '" + fuzziness + "'");
}

std::string read_fuzziness(Parameters& members) {
  const rapidjson::Value* const json = members.json("fuzziness");
  if (json == nullptr) return "auto";
  if (json->IsUint()) return std::to_string(json->GetUint());
  return json->IsString() ? std::string(json->GetString(), json->GetStringLength()) : "?";
}

QueryNode read_fuzzy(const rapidjson::Value& json, const QueryContext& context) {
  FieldQuery query("fuzzy", json, context);
  const std::string fuzziness = query.members ? read_fuzziness(*query.members) : "auto";
  QueryNode node = query.node(QueryNode::Kind::kFuzzy);
  node.edits = edits_of(fuzziness, node.text);
  return node;
}

/// {"terms": {"field": ["one", "two"]}}: terms that are not analysed.
QueryNode read_terms(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[terms]");
  const float boost = read_boost(members);
  QueryNode node{.kind = QueryNode::Kind::kAny, .boost = boost};
  for (const std::string& field : context.fields.searched) {
    auto texts = members.texts(field);
    if (!texts) continue;
    check_field(field, context.fields);
    for (const std::string& text : *texts) check_text(text, context);
    node.texts = std::move(*texts);
    node.field = clause_field(field, context.fields);
  }
  members.finish();
  return node;
}

/// Words from one to another, in the order of their bytes.
QueryNode read_range(const rapidjson::Value& json, const QueryContext& context) {
  const auto& member = only_member(json, "[range]");
  const std::string field(member.name.GetString(), member.name.GetStringLength());
  check_field(field, context.fields);
  Parameters members(member.value, "[range] of '" + field + "'");
  QueryNode node{.kind = QueryNode::Kind::kRange, .boost = read_boost(members)};
  node.field = clause_field(field, context.fields);
  for (const auto& [name, is_lower, is_included] : {std::tuple{"gte", true, true},
                                                    {"gt", true, false},
                                                    {"lte", false, true},
                                                    {"lt", false, false}}) {
    const auto text = members.text(name);
    if (!text) continue;
    check_text(*text, context);
    (is_lower ? node.text : node.upper) = *text;
    (is_lower ? node.includes_lower : node.includes_upper) = is_included;
  }
  members.finish();
  return node;
}

}  // namespace

void check_field(const std::string& name, const IndexFields& fields) {
  if ((fields.searched.size() == 1 || fields.are_separate) && fields.is_searched(name)) return;
  if (!fields.is_searched(name)) {
    throw illegal_argument("the field '" + name + "' is not searched; the index searches " +
                           fields.names());
  }
  throw illegal_argument("the field '" + name + "' is not searched by itself: the index searches " +
                         fields.names() +
                         " as one text; ask combined_fields, or multi_match of the type "
                         "cross_fields, over all of them");
}

float read_boost(Parameters& members) {
  const float boost = members.real("boost").value_or(1);
  if (boost > 0) return boost;
  throw illegal_argument("'boost' must be above 0");
}

void check_all_fields(const std::vector<std::string>& names, const IndexFields& fields) {
  if (fields.are_separate) {
    read_searched(names, fields);
    return;
  }
  if (names.size() == 1 && names[0] == "*") return;
  for (const std::string& name : names) {
    if (!fields.is_searched(name)) check_field(name, fields);
    if (std::count(names.begin(), names.end(), name) > 1) {
      throw illegal_argument("the field '" + name + "' is named twice");
    }
  }
  if (names.size() == fields.searched.size()) return;
  throw illegal_argument("the index searches " + fields.names() +
                         " as one text; name all of them, or none");
}

void check_text(const std::string& text, const QueryContext& context) {
  analysis::require_utf8(text);
  if (text.size() <= context.limits.query_bytes) return;
  throw illegal_argument("a query's text has " + std::to_string(text.size()) + " bytes; " +
                         std::to_string(context.limits.query_bytes) + " are allowed");
}

QueryNode read_field_query(std::string_view name, const rapidjson::Value& value,
                           const QueryContext& context) {
  using Kind = QueryNode::Kind;
  if (name == "match_phrase") return read_phrase(value, context);
  if (name == "fuzzy") return read_fuzzy(value, context);
  if (name == "terms") return read_terms(value, context);
  if (name == "range") return read_range(value, context);
  const Kind kind = name == "prefix" ? Kind::kPrefix
                    : name == "term" ? Kind::kTerm
                                     : Kind::kWildcard;
  return FieldQuery(name, value, context).node(kind);
}

}  // namespace warpdex::server::opensearch
