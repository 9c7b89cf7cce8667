#include "opensearch/search/word_query.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "opensearch/search/query_text.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::server::opensearch {
namespace {

void check_field(const std::string& name, const IndexFields& fields) {
  if (fields.searched.size() == 1 && fields.is_searched(name)) return;
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

std::string wanted_text(Parameters& members, std::string_view name, std::string_view query) {
  if (auto text = members.text(name)) return *text;
  throw parsing_error("[" + std::string(query) + "] has no '" + std::string(name) + "'");
}

/// 1 of several words is what any query asks for.
void read_minimum(Parameters& members) {
  const rapidjson::Value* const json = members.json("minimum_should_match");
  if (json == nullptr) return;
  const bool is_one = json->IsString() ? std::string_view(json->GetString()) == "1"
                                       : json->IsUint64() && json->GetUint64() == 1;
  if (!is_one) throw illegal_argument("'minimum_should_match' can only be 1 here");
}

/// The members query, operator, minimum_should_match and boost.
Words read_match_members(Parameters& members, std::string_view name, const QueryContext& context) {
  const std::string text = wanted_text(members, "query", name);
  const bool are_required = read_operator(members, "operator");
  const float boost = read_boost(members);
  if (!are_required) read_minimum(members);
  members.finish();
  check_text(text, context);
  Words words =
      words_of_terms(context.searcher.parse(text, QuerySyntax::kPlain).terms, are_required);
  boost_words(words, boost);
  return words;
}

Words read_match(const rapidjson::Value& json, const QueryContext& context) {
  const auto& member = only_member(json, "[match]");
  const std::string field(member.name.GetString(), member.name.GetStringLength());
  check_field(field, context.fields);
  if (member.value.IsString()) {
    const std::string text(member.value.GetString(), member.value.GetStringLength());
    check_text(text, context);
    return words_of_terms(context.searcher.parse(text, QuerySyntax::kPlain).terms, false);
  }
  Parameters members(member.value, "[match] of '" + field + "'");
  return read_match_members(members, "match", context);
}

Words read_multi_match(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[multi_match]");
  const auto fields = members.texts("fields").value_or(std::vector<std::string>{"*"});
  check_all_fields(fields, context.fields);
  const std::string type = members.text("type").value_or("best_fields");
  const bool is_known = type == "best_fields" || type == "most_fields" || type == "cross_fields";
  if (!is_known)
    throw illegal_argument("[multi_match] of the type '" + type + "' is not supported");
  if (context.fields.searched.size() > 1 && type != "cross_fields") {
    throw illegal_argument("the index searches " + context.fields.names() +
                           " as one text; ask [multi_match] of the type cross_fields, not " + type);
  }
  return read_match_members(members, "multi_match", context);
}

Words read_combined_fields(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[combined_fields]");
  const auto fields = members.texts("fields");
  if (!fields) throw parsing_error("[combined_fields] has no 'fields'");
  check_all_fields(*fields, context.fields);
  return read_match_members(members, "combined_fields", context);
}

/// The term itself, which is not analysed.
Words read_term(const rapidjson::Value& json, const QueryContext& context) {
  const auto& member = only_member(json, "[term]");
  const std::string field(member.name.GetString(), member.name.GetStringLength());
  check_field(field, context.fields);
  std::string term;
  float boost = 1;
  if (member.value.IsString()) {
    term.assign(member.value.GetString(), member.value.GetStringLength());
  } else {
    Parameters members(member.value, "[term] of '" + field + "'");
    term = wanted_text(members, "value", "term");
    boost = read_boost(members);
    members.finish();
  }
  if (term.empty()) throw illegal_argument("[term] of '" + field + "' is empty");
  check_text(term, context);
  Words words = words_of_terms({{std::move(term)}}, true);
  boost_words(words, boost);
  return words;
}

Words read_text_query(std::string_view name, const rapidjson::Value& json,
                      const QueryContext& context) {
  Parameters members(json, "[" + std::string(name) + "]");
  const std::string text = wanted_text(members, "query", name);
  if (const auto fields = members.texts("fields")) check_all_fields(*fields, context.fields);
  const bool is_simple = name == "simple_query_string";
  if (!is_simple) {
    if (const auto field = members.text("default_field")) {
      check_all_fields({*field}, context.fields);
    }
  }
  const bool are_required = read_operator(members, "default_operator");
  const float boost = read_boost(members);
  members.finish();
  check_text(text, context);
  Words words = is_simple ? read_simple_query_string(text, context.searcher, are_required)
                          : read_query_string(text, context.searcher, are_required);
  boost_words(words, boost);
  return words;
}

/// Clauses of one kind: an object, or an array of these.
std::vector<Words> read_clauses(Parameters& members, std::string_view name,
                                const QueryContext& context) {
  std::vector<Words> clauses;
  const rapidjson::Value* const json = members.json(name);
  if (json == nullptr) return clauses;
  const auto add = [&](const rapidjson::Value& clause) {
    const auto& member = only_member(clause, "a clause of [bool]");
    const std::string_view query(member.name.GetString(), member.name.GetStringLength());
    if (!is_word_query(query)) {
      throw parsing_error("[bool] over [" + std::string(query) + "] is not supported");
    }
    clauses.push_back(read_word_query(query, member.value, context));
  };
  if (!json->IsArray()) {
    add(*json);
  } else {
    for (const auto& clause : json->GetArray()) add(clause);
  }
  return clauses;
}

/// How many clauses of should must match: what bool asks for by itself, if it is there.
void check_minimum(Parameters& members, bool has_must, bool has_should) {
  const rapidjson::Value* const json = members.json("minimum_should_match");
  if (json == nullptr) return;
  const std::uint64_t usual = has_must || !has_should ? 0 : 1;
  const bool is_usual = json->IsString()
                            ? std::string_view(json->GetString()) == std::to_string(usual)
                            : json->IsUint64() && json->GetUint64() == usual;
  if (is_usual) return;
  throw illegal_argument("'minimum_should_match' can only be " + std::to_string(usual) +
                         " in this [bool]");
}

Words read_bool(const rapidjson::Value& json, const QueryContext& context) {
  Parameters members(json, "[bool]");
  if (members.has("filter")) {
    throw parsing_error(
        "[bool] with 'filter' is not supported: all clauses that match score here; "
        "take must");
  }
  std::vector<Words> must = read_clauses(members, "must", context);
  std::vector<Words> should = read_clauses(members, "should", context);
  std::vector<Words> must_not = read_clauses(members, "must_not", context);
  check_minimum(members, !must.empty(), !should.empty());
  const float boost = read_boost(members);
  members.finish();
  const bool is_alone = must.size() + should.size() == 1;
  const bool has_positive = !must.empty() || !should.empty();
  WordsJoiner joiner;
  for (Words& clause : must) joiner.add(std::move(clause), ClauseKind::kMust, is_alone);
  for (Words& clause : should) joiner.add(std::move(clause), ClauseKind::kShould, is_alone);
  for (Words& clause : must_not) joiner.add(std::move(clause), ClauseKind::kMustNot, false);
  Words words = joiner.take(has_positive);
  boost_words(words, boost);
  return words;
}

}  // namespace

bool is_word_query(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "match", "multi_match",  "combined_fields",     "term",
      "bool",  "query_string", "simple_query_string", "match_none"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

Words read_word_query(std::string_view name, const rapidjson::Value& value,
                      const QueryContext& context) {
  if (name == "match") return read_match(value, context);
  if (name == "multi_match") return read_multi_match(value, context);
  if (name == "combined_fields") return read_combined_fields(value, context);
  if (name == "term") return read_term(value, context);
  if (name == "bool") return read_bool(value, context);
  if (name == "match_none") {
    Parameters(value, "[match_none]").finish();
    return words_of_terms({}, false);
  }
  return read_text_query(name, value, context);
}

const rapidjson::Value::Member& only_member(const rapidjson::Value& json, std::string_view what) {
  if (!json.IsObject() || json.MemberCount() != 1) {
    throw parsing_error(std::string(what) + " must be an object with one member");
  }
  return *json.MemberBegin();
}

void check_words(const Words& words, const QueryContext& context) {
  const std::size_t terms = words.required.size() + words.optional.size() + words.excluded.size();
  if (terms <= context.limits.clauses) return;
  throw HttpError(400, "too_many_clauses",
                  "the query has " + std::to_string(terms) + " words; " +
                      std::to_string(context.limits.clauses) + " are allowed");
}

bool read_operator(Parameters& members, std::string_view name) {
  const std::string given = members.text(name).value_or("or");
  if (same_without_case(given, "and")) return true;
  if (same_without_case(given, "or")) return false;
  throw illegal_argument("'" + std::string(name) + "' is and or or, not '" + given + "'");
}

void check_all_fields(const std::vector<std::string>& names, const IndexFields& fields) {
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

}  // namespace warpdex::server::opensearch
