// A piece of a document's text around the words that a query asks for, with these marked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "warpdex/indexer/analysis/term_locator.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// How long snippets are, and what stands around matched words.
struct SnippetSettings {
  std::size_t max_bytes = 200;  ///< of the text, unless a single word is longer
  std::string before = "<em>";
  std::string after = "</em>";
};

/// Words match if the index's analyzer makes a term of the query of them. One per thread.
class SnippetMaker {
 public:
  /// `analyzer` is the index's. Throws UsageError for an unknown one.
  SnippetMaker(std::string_view analyzer, SnippetSettings settings)
      : locator_(analyzer), settings_(std::move(settings)) {}

  /// Of all pieces that are short enough, the first one with as many different terms of the query
  /// as possible, and of these as many matched words as possible; without a match, the beginning.
  /// It begins and ends at words, with an ellipsis where text is left out. Terms that the query
  /// excludes do not count. Throws InputError for text that is not UTF-8. O(bytes).
  std::string make(std::string_view text, const Query& query);

 private:
  TermLocator locator_;
  SnippetSettings settings_;
};

}  // namespace warpdex
