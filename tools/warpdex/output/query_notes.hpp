// Notes on signs of other query languages, which are read as words here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex::tools {

/// A sentence for each kind of sign (quotes, OR, field:, ^2, *, ~, parentheses, +word and -word)
/// that is in the queries and does nothing, for words of several terms that are excluded, and for
/// words that are too long for a term: how many have it, which is the first of them, and as which
/// terms that is read. A query without an id is "the query".
std::vector<std::string> query_notes(const std::vector<QueryText>& queries, QuerySyntax syntax,
                                     Analyzer& analyzer);

/// All notes on queries of a file, also those of TermNotes, on standard error.
void print_query_notes(const std::vector<QueryText>& texts, std::span<const Query> queries,
                       QuerySyntax syntax, const IndexReader& index);

}  // namespace warpdex::tools
