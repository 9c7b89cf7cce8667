// Queries that are JSON objects, one a line: texts, as BEIR has them, and sparse vectors.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "input/query_list.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

using rapidjson::Value;

constexpr std::array kIdMembers{"id", "_id", "qid"};  // the first that is there
constexpr std::array kTextMembers{"text", "query", "contents"};
constexpr const char* kTextExample = "{\"_id\": \"7\", \"text\": \"some words\"}";
constexpr const char* kVectorExample = "{\"id\": \"7\", \"vector\": {\"term\": 1.5}}";

std::string_view string_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// The first of the members that is there and not null.
template <std::size_t n>
const Value* find(const Value& object, const std::array<const char*, n>& names) {
  for (const char* name : names) {
    const auto found = object.FindMember(name);
    if (found != object.MemberEnd() && !found->value.IsNull()) return &found->value;
  }
  return nullptr;
}

// By iteration, so that no depth of nesting exhausts the stack. Python writes NaN. Not in full
// precision, which RapidJSON computes by undefined steps for a zero with an exponent: weights are
// floats, and doubles that are a few units off make the same floats.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                            rapidjson::kParseValidateEncodingFlag;

class JsonQueries final : public QueryLines {
 public:
  explicit JsonQueries(bool are_vectors) : are_vectors_(are_vectors) {}

  void read(const std::string& line, std::uint64_t number, QueryList& queries) override {
    if (trimmed(line).empty()) return;
    QueryText query;
    const std::string problem = parse(line, query);
    if (problem.empty()) {
      queries.add(std::move(query), number);
    } else {
      queries.refuse(number, problem);
    }
  }

 private:
  /// Empty, or what is wrong.
  std::string parse(const std::string& line, QueryText& query) const {
    if (analysis::find_invalid_utf8(line) != line.size()) {
      query.text = line;  // which add() refuses
      query.id = "?";
      return {};
    }
    const char* const example = are_vectors_ ? kVectorExample : kTextExample;
    rapidjson::Document object;
    object.Parse<kFlags>(line.data(), line.size());
    if (object.HasParseError()) {
      std::string error = rapidjson::GetParseError_En(object.GetParseError());
      if (error.ends_with('.')) error.pop_back();
      return "is not valid JSON: " + error + " (at byte " +
             std::to_string(object.GetErrorOffset() + 1) + "); write a query as " + example;
    }
    if (!object.IsObject()) {
      return std::string("is not a JSON object; write a query as ") + example;
    }
    const Value* id = find(object, kIdMembers);
    if (id == nullptr) return "has a query without an id; give one as the member 'id' or '_id'";
    if (id->IsString()) {
      query.id = string_of(*id);
    } else if (id->IsInt64()) {
      query.id = std::to_string(id->GetInt64());
    } else if (id->IsNumber()) {
      query.id = digits_of_id(line);
    }
    if (query.id.empty() && !id->IsString()) {
      return "has an id that is neither a string nor a whole number; write it as one of them";
    }
    return are_vectors_ ? parse_vector(object, query) : parse_text(object, query);
  }

  /// An id beyond 64 bits as it is written; "" for a number that is not whole.
  static std::string digits_of_id(const std::string& line) {
    rapidjson::Document object;
    object.Parse<kFlags | rapidjson::kParseNumbersAsStringsFlag>(line.data(), line.size());
    const std::string_view digits = string_of(*find(object, kIdMembers));
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    return digits.find_first_not_of("0123456789", first) == digits.npos ? std::string(digits) : "";
  }

  static std::string parse_text(const Value& object, QueryText& query) {
    const Value* text = find(object, kTextMembers);
    if (text == nullptr) {
      return std::string("has a query without the member 'text'") +
             (object.HasMember("vector") ? "; one with a vector is read by the format sparse"
                                         : "; write a query as ") +
             (object.HasMember("vector") ? "" : kTextExample);
    }
    if (!text->IsString()) return "has a text that is not a string; write it as one";
    query.text = string_of(*text);
    return {};
  }

  static std::string parse_vector(const Value& object, QueryText& query) {
    query.is_vector = true;
    const auto vector = object.FindMember("vector");
    if (vector == object.MemberEnd() || !vector->value.IsObject()) {
      return std::string("has a query whose member 'vector' is not an object; write it as ") +
             kVectorExample;
    }
    for (const auto& member : vector->value.GetObject()) {
      const std::string_view term = string_of(member.name);
      const std::string name = "'" + excerpt(term) + "'";
      if (term.empty()) return "has a term that is empty; leave it out";
      if (term.size() > kMaxTermBytes) {
        ++query.long_terms;
        continue;
      }
      if (!member.value.IsNumber()) {
        return "has a weight of the term " + name + " that is not a number; write it as one";
      }
      const double weight = member.value.GetDouble();
      if (weight == 0) continue;
      // Written so that NaN fails it.
      if (!(weight >= static_cast<double>(kMinQueryWeight) &&
            weight <= static_cast<double>(kMaxQueryWeight))) {
        return "has a weight of the term " + name +
               " that is not 0 and not from 1e-9 to 1e9; correct it or leave the term out";
      }
      query.vector.push_back(
          {std::string(term), Occur::kUnsigned,
           std::clamp(static_cast<float>(weight), kMinQueryWeight, kMaxQueryWeight)});
    }
    return repeated_term(query.vector);
  }

  static std::string repeated_term(const std::vector<QueryTerm>& terms) {
    std::vector<std::string_view> names;
    names.reserve(terms.size());
    for (const QueryTerm& term : terms) names.emplace_back(term.term);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return {};
    return "has the term '" + excerpt(*twice) + "' twice; give each term one weight";
  }

  bool are_vectors_;
};

}  // namespace

std::unique_ptr<QueryLines> json_queries(bool are_vectors) {
  return std::make_unique<JsonQueries>(are_vectors);
}

}  // namespace warpdex
