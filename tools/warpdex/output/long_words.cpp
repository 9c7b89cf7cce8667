// Analyses the queries that are long enough to have such a word.
#include "output/long_words.hpp"

#include <iostream>

#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

std::uint64_t long_words_of(const QueryText& query, QuerySyntax syntax, Analyzer& analyzer) {
  if (!query.is_vector && query.text.size() <= kMaxTermBytes) return 0;
  try {
    return parse_query(query, syntax, analyzer, {}, QueryMode::kOr, true).long_words;
  } catch (const InputError&) {
    return 0;  // told where the query is analysed to be answered
  }
}

}  // namespace

void print_long_words(std::uint64_t count) {
  if (count == 0) return;
  std::cerr << "warpdex: " << counted(count, "word") << " of more than " << kMaxTermBytes
            << " bytes " << (count == 1 ? "was" : "were")
            << " left out; their documents are in the index\n";
}

std::optional<std::string> long_word_note(const std::vector<QueryText>& queries, QuerySyntax syntax,
                                          Analyzer& analyzer) {
  std::uint64_t words = 0;
  std::uint64_t count = 0;
  const QueryText* first = nullptr;
  for (const QueryText& query : queries) {
    const std::uint64_t found = long_words_of(query, syntax, analyzer);
    if (found == 0) continue;
    if (++count == 1) first = &query;
    words += found;
  }
  if (count == 0) return std::nullopt;
  const std::string name = first->id.empty() ? "the query" : "query " + first->id;
  return counted(words, "word") + " of more than " + std::to_string(kMaxTermBytes) +
         " bytes, which no index has, " + (words == 1 ? "is" : "are") + " left out of " +
         (count == 1 ? name : counted(count, "query") + "; the first is " + name);
}

}  // namespace warpdex::tools
