// Words of several terms that a query excludes, as -covid-19: the documents that have all terms of
// one. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Whether terms of the query are parts of an excluded word (QueryTerm::word).
inline bool has_excluded_words(const Query& query) {
  return std::any_of(query.terms.begin(), query.terms.end(),
                     [](const QueryTerm& term) { return term.word != 0; });
}

/// A query without the terms of excluded words, and these words: distinct terms of each, two or
/// more. A word that repeats one term is that term.
struct QueryAndWords {
  Query query;
  std::vector<std::vector<std::string>> words;
};
QueryAndWords part_excluded_words(const Query& query);

/// The words that the index has all terms of, as their entries.
std::vector<std::vector<PostingsEntry>> plan_words(const Index& index,
                                                   std::span<const std::vector<std::string>> words);

/// Sets the bits of the documents that have all terms of one of the words. O(their postings).
/// Throws FormatError for damage.
void mark_documents_of_words(const Index& index, std::span<const std::vector<PostingsEntry>> words,
                             std::span<std::uint64_t> documents);

}  // namespace warpdex
