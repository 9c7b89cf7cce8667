#include "opensearch/search/column_query.hpp"

#include "opensearch/search/word_query.hpp"
#include "warpdex/query/syntax/json_query.hpp"

namespace warpdex::server::opensearch {

std::optional<std::string> read_column_query(const rapidjson::Value& json,
                                             const QueryContext& context) {
  if (!json.IsObject() || json.MemberCount() != 1) return std::nullopt;
  const auto& member = *json.MemberBegin();
  const std::string_view name(member.name.GetString(), member.name.GetStringLength());
  if (name != "ids" && !is_word_query(name)) return std::nullopt;
  const auto filter =
      filter_of_clause(read_word_query(name, member.value, context), context.fields.schema);
  if (!filter) return std::nullopt;
  return filter_text(*filter);
}

std::string both_filters(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one + other;
  return "(" + one + ") AND (" + other + ")";
}

}  // namespace warpdex::server::opensearch
