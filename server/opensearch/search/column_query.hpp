// Queries of columns and ids, which let documents through or not.
#pragma once

#include <string>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// Whether a query asks columns and ids alone: term, terms, match, range, exists of columns, ids,
/// and bool and constant_score of these.
bool is_column_query(const rapidjson::Value& json, const IndexFields& fields);

/// Such a query as SearchOptions::filter. Throws HttpError (400) for what is unknown, and for
/// values that a column does not take.
std::string read_column_query(const rapidjson::Value& json, const QueryContext& context);

/// Both filters, either of which may be empty.
std::string both_filters(const std::string& one, const std::string& other);

}  // namespace warpdex::server::opensearch
