// What is shown of a document that was found: stored fields, and pieces of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpdex {

/// Where a word that matched stands in a text, in bytes of UTF-8.
struct MarkedWord {
  std::size_t start = 0;
  std::size_t length = 0;
  bool operator==(const MarkedWord&) const = default;
};

/// A stored field of a document that was found.
struct ShownField {
  std::string name;
  std::string text;
  std::optional<std::string> snippet;  ///< a piece of it with the matched words marked
  /// Where these words stand in `text`, if that was asked for.
  std::optional<std::vector<MarkedWord>> marked = std::nullopt;
};

/// The length of snippets, the marks around matched words, and where snippets are shown.
struct SnippetSettings {
  std::size_t max_bytes = 200;  ///< of the text without marks, unless a single word is longer
  std::string before = "<em>";
  std::string after = "</em>";
  /// In HTML: & < > " ' of the text are written as entities, so that the marks are the only tags.
  bool is_html = true;
};

}  // namespace warpdex
