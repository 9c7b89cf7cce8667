// Queries by words: match and its like, and bool over them.
#pragma once

#include <string_view>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// Whether a query of that name is one by words.
bool is_word_query(std::string_view name);
/// `value` is what stands behind the name. Throws HttpError (400).
Words read_word_query(std::string_view name, const rapidjson::Value& value,
                      const QueryContext& context);
/// The name and value of an object with one member. Throws HttpError (400) for others.
const rapidjson::Value::Member& only_member(const rapidjson::Value& json, std::string_view what);
/// Throws HttpError (400) where the texts or terms of a query are more than the server's limits.
void check_words(const Words& words, const QueryContext& context);
/// Of "and" and "or".
bool read_operator(Parameters& members, std::string_view name);
/// Throws HttpError (400) unless the fields are all that are searched.
void check_all_fields(const std::vector<std::string>& names, const IndexFields& fields);
void check_text(const std::string& text, const QueryContext& context);

}  // namespace warpdex::server::opensearch
