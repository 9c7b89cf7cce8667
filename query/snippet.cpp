// Slides a window over the matched words.
#include "warpdex/query/snippet.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphemes.hpp"
#include "phrase_ranges.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kEllipsis = "…";
/// So much without a word stays at the ends of a text.
constexpr std::size_t kMargin = 32;

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Without those of phrases, which are marked as wholes.
std::vector<std::string_view> wanted_terms(const Query& query, bool has_phrases) {
  std::vector<std::string_view> terms;
  if (has_phrases) {
    terms = words_beside_phrases(*query.tree);
  } else {
    for (const QueryTerm& term : query.terms) {
      if (term.occur != Occur::kMustNot) terms.push_back(term.term);
    }
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

/// Words and phrases of a query in a text, in the order of their beginnings.
struct Matches {
  std::vector<MarkedRange> ranges{};
  std::size_t wanted = 0;  ///< different ones of the query
};

Matches find_matches(const std::vector<Token>& words, const Query& query) {
  const std::vector<const QueryNode*> phrases =
      query.tree ? phrases_of(*query.tree) : std::vector<const QueryNode*>();
  const std::vector<std::string_view> terms = wanted_terms(query, !phrases.empty());
  Matches matches{.wanted = terms.size() + phrases.size()};
  for (const Token& word : words) {
    const auto term = std::lower_bound(terms.begin(), terms.end(), word.term);
    if (term == terms.end() || *term != word.term) continue;
    matches.ranges.push_back(
        {word.begin, word.end, static_cast<std::size_t>(term - terms.begin())});
  }
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    append_ranges(*phrases[i], terms.size() + i, words, matches.ranges);
  }
  if (!phrases.empty()) std::ranges::stable_sort(matches.ranges, {}, &MarkedRange::begin);
  return matches;
}

/// The best run of matches that lies within `max_bytes`, or one match.
Range best_window(const std::vector<MarkedRange>& matches, std::size_t terms,
                  std::size_t max_bytes) {
  std::vector<std::uint32_t> counts(terms);
  std::size_t distinct = 0;
  std::pair<std::size_t, std::size_t> best;  // different terms, matches
  Range window;
  std::size_t end = 0;
  for (std::size_t first = 0; first < matches.size(); ++first) {
    while (end < matches.size() &&
           (end == first || matches[end].end - matches[first].begin <= max_bytes)) {
      if (counts[matches[end++].number]++ == 0) ++distinct;
    }
    const std::pair value(distinct, end - first);
    if (value > best) {
      best = value;
      window = {matches[first].begin, std::max(matches[first].end, matches[end - 1].end)};
    }
    if (--counts[matches[first].number] == 0) --distinct;
  }
  return window;
}

/// The window with words around it, about as many on both sides.
Range widened(Range window, const std::vector<Token>& words, std::size_t text_bytes,
              std::size_t max_bytes) {
  const std::size_t used = window.end - window.begin;
  const std::size_t free = max_bytes - std::min(used, max_bytes);
  const std::size_t earliest = window.begin - std::min(window.begin, free / 2);
  const auto first =
      std::lower_bound(words.begin(), words.end(), earliest,
                       [](const Token& word, std::size_t offset) { return word.begin < offset; });
  Range range = window;
  if (first != words.end()) range.begin = std::min(window.begin, first->begin);
  if (range.begin <= kMargin && range.begin <= free / 2) range.begin = 0;
  for (auto word = first; word != words.end(); ++word) {
    if (word->end > range.begin + max_bytes) break;
    range.end = std::max(range.end, word->end);
  }
  const bool is_last = words.empty() || range.end >= words.back().end;
  const bool fits = text_bytes - range.begin <= max_bytes;
  if (is_last && fits && text_bytes - range.end <= kMargin) range.end = text_bytes;
  return range;
}

/// The range without cut graphemes: wider, if that fits into the bytes, else narrower.
Range at_graphemes(Range range, std::string_view text, std::size_t max_bytes) {
  const std::size_t before = grapheme_border_before(text, range.begin);
  const bool fits_before = range.end - before <= max_bytes;
  range.begin = fits_before ? before : grapheme_border_after(text, range.begin);
  const std::size_t after = grapheme_border_after(text, range.end);
  const bool fits_after = after <= range.begin + max_bytes;
  range.end = fits_after ? after : grapheme_border_before(text, range.end);
  range.end = std::max(range.begin, range.end);
  return range;
}

/// Those of the matches within `range`, where several overlap as one.
std::vector<Range> marked_ranges(const std::vector<MarkedRange>& matches, Range range) {
  std::vector<Range> marked;
  for (const MarkedRange& match : matches) {
    if (match.begin < range.begin || match.end > range.end) continue;
    if (!marked.empty() && match.begin < marked.back().end) {
      marked.back().end = std::max(marked.back().end, match.end);
    } else {
      marked.push_back({match.begin, match.end});
    }
  }
  return marked;
}

void append_as_html(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
}

}  // namespace

std::string SnippetMaker::shown(std::string_view text) const {
  if (!settings_.is_html) return std::string(text);
  std::string html;
  append_as_html(html, text);
  return html;
}

Snippet SnippetMaker::make(std::string_view text, const Query& query) {
  analyzer_->locate(text, words_);
  const Matches matches = find_matches(words_, query);
  Range range{0, text.size()};
  if (text.size() > settings_.max_bytes) {
    range = widened(best_window(matches.ranges, matches.wanted, settings_.max_bytes), words_,
                    text.size(), settings_.max_bytes);
    if (range.begin == range.end) range = {0, settings_.max_bytes};  // a huge word
    range = at_graphemes(range, text, settings_.max_bytes);
  }
  Snippet snippet;
  if (range.begin > 0) snippet.text += kEllipsis;
  std::size_t at = range.begin;
  for (const Range& match : marked_ranges(matches.ranges, range)) {
    snippet.text += shown(text.substr(at, match.begin - at)) + settings_.before +
                    shown(text.substr(match.begin, match.end - match.begin)) + settings_.after;
    snippet.marked.push_back({match.begin, match.end - match.begin});
    at = match.end;
  }
  snippet.text += shown(text.substr(at, range.end - at));
  if (range.end < text.size()) snippet.text += kEllipsis;
  return snippet;
}

}  // namespace warpdex
