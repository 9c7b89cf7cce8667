// Notes on words of documents and of queries that are too long for a term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex::tools {

/// Tells on standard error how many words of documents were left out, if any were.
void print_long_words(std::uint64_t count);

/// "2 words of more than 65535 bytes, which no index has, are left out of query 7", or of how many
/// queries, and which is the first; nothing where no word is too long. Only queries that are long
/// enough are analysed.
std::optional<std::string> long_word_note(const std::vector<QueryText>& queries, QuerySyntax syntax,
                                          Analyzer& analyzer);

}  // namespace warpdex::tools
