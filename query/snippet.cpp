// Marks the words of a query in pieces of a text.
#include "warpdex/query/snippet.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "phrase_ranges.hpp"
#include "snippet_pieces.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kEllipsis = "…";
/// Without those of phrases, which are marked as wholes.
std::vector<std::string_view> wanted_terms(const Query& query) {
  std::vector<std::string_view> terms;
  if (query.tree) {
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

TextMatches find_matches(const std::vector<Token>& words, const Query& query) {
  const std::vector<const QueryNode*> phrases =
      query.tree ? phrases_of(*query.tree) : std::vector<const QueryNode*>();
  const std::vector<std::string_view> terms = wanted_terms(query);
  TextMatches matches{.wanted = terms.size() + phrases.size()};
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

/// Those of the matches within `range`, where several overlap as one.
std::vector<TextPiece> marked_ranges(const std::vector<MarkedRange>& matches, TextPiece range) {
  std::vector<TextPiece> marked;
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

std::string SnippetMaker::piece(std::string_view text, TextPiece range, const TextMatches& matches,
                                std::vector<MarkedWord>& marked) const {
  std::string piece;
  std::size_t at = range.begin;
  for (const TextPiece& match : marked_ranges(matches.ranges, range)) {
    piece += shown(text.substr(at, match.begin - at)) + settings_.before +
             shown(text.substr(match.begin, match.end - match.begin)) + settings_.after;
    marked.push_back({match.begin, match.end - match.begin});
    at = match.end;
  }
  return piece + shown(text.substr(at, range.end - at));
}

Snippet SnippetMaker::make(std::string_view text, const Query& query) {
  analyzer_->locate(text, words_);
  const TextMatches matches = find_matches(words_, query);
  std::vector<TextPiece> pieces{{0, text.size()}};
  if (text.size() > settings_.max_bytes) {
    pieces = choose_pieces(text, words_, matches, settings_.max_bytes,
                           std::max<std::size_t>(1, settings_.fragments));
  }
  Snippet snippet;
  std::size_t end = 0;
  for (const TextPiece& range : pieces) {
    if (range.begin > end) snippet.text += kEllipsis;
    snippet.fragments.push_back(piece(text, range, matches, snippet.marked));
    snippet.text += snippet.fragments.back();
    end = range.end;
  }
  if (end < text.size()) snippet.text += kEllipsis;
  return snippet;
}

}  // namespace warpdex
