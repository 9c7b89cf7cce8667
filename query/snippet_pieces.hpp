// Which pieces of a text a snippet shows. Internal.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "phrase_ranges.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex {

struct TextPiece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The words and phrases of a query in a text, in the order of their beginnings.
struct TextMatches {
  std::vector<MarkedRange> ranges{};
  std::size_t wanted = 0;  ///< different ones of the query: an upper bound of `number`
};

/// At most `most` pieces of a text that is longer than `max_bytes`, in its order, which do not
/// overlap. The first choice is the piece with the most different matches, then the most matches,
/// then the first; each next one that with the most matches that no piece before has. Without a
/// match, the beginning of the text. O(most · matches + words).
std::vector<TextPiece> choose_pieces(std::string_view text, const std::vector<Token>& words,
                                     const TextMatches& matches, std::size_t max_bytes,
                                     std::size_t most);

}  // namespace warpdex
