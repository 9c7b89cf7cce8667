// The member highlight of a search body.
#pragma once

#include "opensearch/search/search_ask.hpp"

namespace warpdex::server::opensearch {

/// Into ask.highlighted and ask.snippet. Throws HttpError (400) for what snippets do not have.
void read_highlight(const rapidjson::Value& json, const IndexFields& fields, SearchAsk& ask);

}  // namespace warpdex::server::opensearch
