// Where the phrases of a query stand in a text. Internal.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Bytes of a text that are a phrase as a whole, or a word.
struct MarkedRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t number = 0;  ///< of the phrase or word
};

/// The phrases of a tree that a match may have.
std::vector<const QueryNode*> phrases_of(const QueryNode& analyzed);

/// The terms that a match may have beside those of phrases; views of the tree.
std::vector<std::string_view> words_beside_phrases(const QueryNode& analyzed);

/// Appends a range for each time that the phrase stands among the words of a text, which are in the
/// order of their positions. With slop, where all its words stand within so many positions more
/// than in the phrase. O(words · the phrase's words).
void append_ranges(const QueryNode& phrase, std::size_t number, const std::vector<Token>& words,
                   std::vector<MarkedRange>& ranges);

}  // namespace warpdex
