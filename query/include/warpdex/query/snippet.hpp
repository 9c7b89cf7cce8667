// Snippets: a piece of a document's text with the matched words of a query marked.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

struct TextMatches;
struct TextPiece;

/// Pieces of a text.
struct Snippet {
  /// With marks, escaped where it is HTML; an ellipsis stands where text is left out.
  std::string text;
  std::vector<std::string> fragments{};  ///< the same, piece by piece, without ellipses
  std::vector<MarkedWord> marked{};      ///< words and phrases between marks, in their order
};

/// A word matches if the index's analyzer turns it into a term of the query; a phrase is marked as
/// a whole, and its words nowhere else. Each thread needs its own maker.
class SnippetMaker {
 public:
  /// `analyzer` is the index's. Throws UsageError for an unknown one.
  SnippetMaker(const AnalyzerSettings& analyzer, SnippetSettings settings)
      : analyzer_(make_analyzer(analyzer)), settings_(std::move(settings)) {}

  /// Of all pieces that are short enough, the one with the most different terms of the query; of
  /// several, the one with the most matched words, then the first. Further ones (`fragments`) have
  /// the most terms that no piece before has, and at least a match; they stand in the order of the
  /// text. Without a match, the beginning of the text. A piece begins and ends at words. Terms that
  /// the query excludes do not count, nor do prefixes, patterns, ranges and near words:
  /// with_found_terms() turns them into terms. Matches that overlap, such as pairs of characters,
  /// are marked as one. No grapheme (what a reader takes for one character) is cut.
  /// Throws InputError for text that is not UTF-8. O(bytes).
  Snippet make(std::string_view text, const Query& query);

 private:
  std::string shown(std::string_view text) const;
  std::string piece(std::string_view text, TextPiece range, const TextMatches& matches,
                    std::vector<MarkedWord>& marked) const;

  std::unique_ptr<Analyzer> analyzer_;
  std::vector<Token> words_;
  SnippetSettings settings_;
};

}  // namespace warpdex
