// The texts of query_string and simple_query_string.
#pragma once

#include <string_view>

#include "opensearch/search/words.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::server::opensearch {

/// The engine's signed syntax: +word, -word, word^2. Throws HttpError (400) for other operators of
/// query_string, which it names, and InputError.
Words read_query_string(std::string_view text, const Searcher& searcher, bool are_required);

/// Words, between which + or | may stand, and -word where all are required. Throws likewise.
Words read_simple_query_string(std::string_view text, const Searcher& searcher, bool are_required);

}  // namespace warpdex::server::opensearch
