// Reads OpenSearch's query objects.
#include "warpdex/query/syntax/json_query.hpp"

#include <rapidjson/error/en.h>

#include <utility>

#include "syntax/json_leaves.hpp"
#include "syntax/json_members.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using rapidjson::Value;

class JsonQueryParser {
 public:
  explicit JsonQueryParser(ReadOtherQuery other) : other_(std::move(other)) {}

  QueryNode read(const Value& json, const std::string& place, std::size_t depth);
  QueryNode read_named(std::string_view name, const Value& value, const std::string& place,
                       std::size_t depth);

 private:
  std::optional<QueryNode> read_group(std::string_view name, const Value& value,
                                      const std::string& place, std::size_t depth);
  std::vector<QueryNode> clauses(JsonMembers& members, std::string_view name, std::size_t depth);

  const ReadOtherQuery other_;
  std::size_t clauses_ = 0;
};

QueryNode JsonQueryParser::read(const Value& json, const std::string& place, std::size_t depth) {
  if (depth > kMaxQueryDepth) refuse_json(place, "the clauses lie too deep in each other");
  if (++clauses_ > kMaxQueryNodes) {
    refuse_json(place, "the query has more than " + std::to_string(kMaxQueryNodes) + " clauses");
  }
  JsonMembers outer(json, place);
  const auto& member = outer.only("query");
  const std::string name(member.name.GetString(), member.name.GetStringLength());
  return read_named(name, member.value, outer.place_of(name), depth);
}

QueryNode JsonQueryParser::read_named(std::string_view name, const Value& value,
                                      const std::string& place, std::size_t depth) {
  if (std::optional<QueryNode> own = other_ ? other_(name, value) : std::nullopt) {
    return std::move(*own);
  }
  if (std::optional<QueryNode> group = read_group(name, value, place, depth)) {
    return std::move(*group);
  }
  if (std::optional<QueryNode> leaf = read_json_leaf(name, value, place)) return std::move(*leaf);
  refuse_json(place, "there is no query '" + std::string(name) +
                         "' here; there are bool, match, match_phrase, multi_match, "
                         "combined_fields, term, terms, range, prefix, wildcard, fuzzy, exists, "
                         "ids, constant_score, dis_max, query_string, match_all and match_none");
}

std::optional<QueryNode> JsonQueryParser::read_group(std::string_view name, const Value& value,
                                                     const std::string& place, std::size_t depth) {
  using Kind = QueryNode::Kind;
  if (name != "bool" && name != "constant_score" && name != "dis_max") return std::nullopt;
  JsonMembers members(value, place);
  QueryNode node{.kind = Kind::kBoolean, .boost = members.boost(), .path = place};
  if (name == "bool") {
    node.must = clauses(members, "must", depth);
    node.filter = clauses(members, "filter", depth);
    node.should = clauses(members, "should", depth);
    node.must_not = clauses(members, "must_not", depth);
    node.minimum_should_match = members.whole("minimum_should_match", kMaxQueryNodes).value_or(0);
    const bool is_empty = node.must.empty() && node.filter.empty() && node.should.empty() &&
                          node.must_not.empty() && node.minimum_should_match == 0;
    if (is_empty) node.kind = Kind::kAll;
    mend_negative(node);
  } else if (name == "dis_max") {
    node.kind = Kind::kBest;
    node.tie_breaker = members.tie_breaker();
    node.should = clauses(members, "queries", depth);
    if (node.should.empty()) refuse_json(place, "there are no 'queries'");
  } else {
    node.kind = Kind::kConstant;
    node.filter = clauses(members, "filter", depth);
    if (node.filter.size() != 1) refuse_json(place, "one 'filter' stands here");
  }
  members.finish();
  return node;
}

/// Of one role: an object, or an array of these.
std::vector<QueryNode> JsonQueryParser::clauses(JsonMembers& members, std::string_view name,
                                                std::size_t depth) {
  std::vector<QueryNode> found;
  const Value* const json = members.json(name);
  if (json == nullptr) return found;
  const std::string place = members.place_of(name);
  if (!json->IsArray()) {
    found.push_back(read(*json, place, depth + 1));
    return found;
  }
  for (const auto& each : json->GetArray()) {
    found.push_back(read(each, place + "[" + std::to_string(found.size()) + "]", depth + 1));
  }
  return found;
}

}  // namespace

void mend_negative(QueryNode& node) {
  if (node.kind != QueryNode::Kind::kBoolean) return;
  if (!node.must.empty() || !node.should.empty() || !node.filter.empty()) return;
  node.filter.push_back({.kind = QueryNode::Kind::kAll});
}

QueryNode read_json_query(std::string_view name, const rapidjson::Value& value,
                          std::string_view place, const ReadOtherQuery& other) {
  return JsonQueryParser(other).read_named(name, value,
                                           std::string(place) + "." + std::string(name), 0);
}

QueryNode parse_json_query(std::string_view text) {
  // By iteration, so that no depth of nesting exhausts the stack.
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  rapidjson::Document json;
  json.Parse<kFlags>(text.data(), text.size());
  if (!json.HasParseError()) return JsonQueryParser({}).read(json, "query", 0);
  std::string error = rapidjson::GetParseError_En(json.GetParseError());
  if (error.ends_with('.')) error.pop_back();
  throw InputError("the query is no JSON: " + error + ", at byte " +
                   std::to_string(json.GetErrorOffset()));
}

}  // namespace warpdex
