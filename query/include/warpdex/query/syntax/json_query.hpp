// Queries in JSON that others have parsed, and names of their own among those of
// parse_json_query(). Internal.
#pragma once

#include <rapidjson/document.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Reads a query of a name that parse_json_query() does not know, from what stands behind the name;
/// none for a name that it does not know either.
using ReadOtherQuery =
    std::function<std::optional<QueryNode>(std::string_view name, const rapidjson::Value& value)>;

/// As parse_json_query(), of a query of that name and what stands behind the name. `place` is what
/// messages begin with: "query".
QueryNode read_json_query(std::string_view name, const rapidjson::Value& value,
                          std::string_view place, const ReadOtherQuery& other);

/// What a clause lets through, where it asks columns and ids of the schema alone: such a clause as
/// a filter. None for others. Throws InputError for values that a column does not take.
std::optional<FilterNode> filter_of_clause(const QueryNode& node, const Schema& schema);

/// Takes the clauses of a Boolean root's `filter` and `must_not` out that ask columns alone.
/// Returns them as a filter, or nothing: with it, engines may answer what is left. Throws likewise.
std::string take_filters(QueryNode& root, const Schema& schema);

/// The clause in each of the fields that have a weight above 0: the best one's score and its
/// `tie_breaker` of the others', the sum, or one score over all of them.
QueryNode over_fields(const QueryNode& clause, const std::vector<SearchedField>& fields,
                      FieldsType type);

/// A group without any clause that a match must or may have: of clauses that only exclude. Gives it
/// one of all documents, with a score of 0.
void mend_negative(QueryNode& node);

}  // namespace warpdex
