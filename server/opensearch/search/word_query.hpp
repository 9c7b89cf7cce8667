// Queries by words: match and its like, and bool over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// Whether a query of that name is one by words.
bool is_word_query(std::string_view name);
/// `value` is what stands behind the name. Throws HttpError (400).
QueryNode read_word_query(std::string_view name, const rapidjson::Value& value,
                          const QueryContext& context);
/// The name and value of an object with one member. Throws HttpError (400) for others.
const rapidjson::Value::Member& only_member(const rapidjson::Value& json, std::string_view what);
/// The text of query_string, in Lucene's syntax. Words without a field search `fields`, where each
/// is searched by itself. Throws InputError, which says at which byte, and HttpError (400).
QueryNode read_query_string(const std::string& text, const QueryContext& context, bool are_required,
                            const std::vector<std::string>& fields);
/// A tree as the engine's question. Throws HttpError (400) where it has more terms than the
/// server's limits, and InputError.
Query question_of(const QueryNode& tree, const QueryContext& context);
/// Of "and" and "or".
bool read_operator(Parameters& members, std::string_view name);

}  // namespace warpdex::server::opensearch
