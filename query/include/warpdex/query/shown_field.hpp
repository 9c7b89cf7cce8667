// What answers show beside documents and scores: stored fields and pieces of them, the order of
// columns, facets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  /// Pieces of it with the matched words marked, and an ellipsis where text is left out.
  std::optional<std::string> snippet;
  /// Where these words stand in `text`, if that was asked for.
  std::optional<std::vector<MarkedWord>> marked = std::nullopt;
  std::vector<std::string> fragments{};  ///< the snippet piece by piece, without ellipses
};

/// The most pieces of a snippet.
inline constexpr std::size_t kMaxFragments = 1000;

/// The length of snippets, the marks around matched words, and where snippets are shown.
struct SnippetSettings {
  /// Of a piece of the text without marks, unless a single word is longer.
  std::size_t max_bytes = 200;
  std::string before = "<em>";
  std::string after = "</em>";
  /// In HTML: & < > " ' of the text are written as entities, so that the marks are the only tags.
  bool is_html = true;
  std::size_t fragments = 1;  ///< pieces at most, 1 to kMaxFragments
};

/// A column that hits are sorted by. Of several values of a document, the least counts, or, if
/// `descending`, the largest; documents without one come last.
struct SortKey {
  std::string column;
  bool descending = false;
  bool operator==(const SortKey&) const = default;
};

/// "year:desc,title", where asc is meant without an order. Throws UsageError.
std::vector<SortKey> parse_sort(std::string_view text);

/// Values from one up to another, which is not in it; empty: no limit there.
struct FacetRange {
  std::string from{};  ///< as filters have it
  std::string to{};
  bool operator==(const FacetRange&) const = default;
};

/// The most ranges of a column.
inline constexpr std::size_t kMaxFacetRanges = 1000;

/// What is counted of a column, over all documents that match.
struct FacetRequest {
  std::string column;
  std::uint32_t values = 10;         ///< that most documents have
  std::vector<FacetRange> ranges{};  ///< at most kMaxFacetRanges
  bool operator==(const FacetRequest&) const = default;
};

/// Columns, each of which may have ranges between limits that rise: "year:..1990..2000.." is those
/// before 1990, from 1990 to before 2000, and from 2000 on. A column that is named again adds
/// ranges. Throws UsageError.
std::vector<FacetRequest> parse_facets(std::span<const std::string> texts);

/// A value, and how many documents have it.
struct FacetCount {
  std::string value;  ///< as filters have it
  std::uint64_t documents = 0;
  bool operator==(const FacetCount&) const = default;
};

/// A range that was asked for, and how many documents have a value of it.
struct FacetRangeCount {
  FacetRange range{};
  std::uint64_t documents = 0;
  bool operator==(const FacetRangeCount&) const = default;
};

/// A column over all documents that match.
struct Facet {
  std::string column{};
  std::uint64_t documents = 0;    ///< that have a value
  std::uint64_t values = 0;       ///< that they have together
  std::uint64_t distinct = 0;     ///< different ones
  std::vector<FacetCount> top{};  ///< by falling numbers of documents, then in their order
  std::vector<FacetRangeCount> ranges{};
  /// Of numbers, and of dates in milliseconds; 0 without values. The sum of whole numbers is exact
  /// before it is rounded.
  double min = 0;
  double max = 0;
  double sum = 0;
  bool operator==(const Facet&) const = default;
};

}  // namespace warpdex
