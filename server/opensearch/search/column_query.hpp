// Queries of columns and ids, which let documents through or not.
#pragma once

#include <optional>
#include <string>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// A query that asks columns and ids alone, as SearchOptions::filter; none for another. Throws
/// HttpError (400) for what is unknown, InputError for values that a column does not take.
std::optional<std::string> read_column_query(const rapidjson::Value& json,
                                             const QueryContext& context);

/// Both filters, either of which may be empty.
std::string both_filters(const std::string& one, const std::string& other);

}  // namespace warpdex::server::opensearch
