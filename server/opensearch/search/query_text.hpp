// The text of simple_query_string.
#pragma once

#include <string>

#include "opensearch/search/asked_query.hpp"

namespace warpdex::server::opensearch {

/// Words, between which + or | may stand, and -word where all are required. Throws HttpError (400)
/// for other operators, which it names, and InputError.
QueryNode read_simple_query_string(const std::string& text, const QueryContext& context,
                                   bool are_required);

}  // namespace warpdex::server::opensearch
