// Slides a window over the matches, then over what is left beside the pieces that were taken.
#include "snippet_pieces.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "graphemes.hpp"

namespace warpdex {
namespace {

/// So much without a word stays at the ends of a text.
constexpr std::size_t kMargin = 32;

/// A part of the text that no piece has yet.
struct FreePart {
  TextPiece range;
  std::span<const MarkedRange> matches;  ///< those that begin in it
};

/// A run of matches, and what it is worth: different matches that no piece has, different ones,
/// all. Without a match 0.
struct Window {
  std::array<std::size_t, 3> value{};
  TextPiece range{};
};

/// The best run of matches that lies within `max_bytes`, or one match.
Window best_window(const FreePart& part, const std::vector<bool>& shown, std::size_t max_bytes) {
  const std::span<const MarkedRange> matches = part.matches;
  std::vector<std::uint32_t> counts(shown.size());
  std::size_t distinct = 0;
  std::size_t added = 0;
  Window best;
  std::size_t end = 0;
  for (std::size_t first = 0; first < matches.size(); ++first) {
    while (end < matches.size() &&
           (end == first || matches[end].end - matches[first].begin <= max_bytes)) {
      const std::size_t number = matches[end++].number;
      if (counts[number]++ > 0) continue;
      ++distinct;
      added += shown[number] ? 0 : 1;
    }
    const std::array value{added, distinct, end - first};
    const TextPiece range{matches[first].begin, std::max(matches[first].end, matches[end - 1].end)};
    if (value > best.value && range.end <= part.range.end) best = {value, range};
    if (--counts[matches[first].number] > 0) continue;
    --distinct;
    added -= shown[matches[first].number] ? 0 : 1;
  }
  return best;
}

/// A window with words around it, about as many on both sides, within the free part.
TextPiece widened(TextPiece window, const std::vector<Token>& words, TextPiece part,
                  std::size_t text_bytes, std::size_t max_bytes) {
  const std::size_t used = window.end - window.begin;
  const std::size_t free = max_bytes - std::min(used, max_bytes);
  const std::size_t earliest =
      std::max(part.begin, window.begin - std::min(window.begin, free / 2));
  const auto first =
      std::lower_bound(words.begin(), words.end(), earliest,
                       [](const Token& word, std::size_t offset) { return word.begin < offset; });
  TextPiece range = window;
  if (first != words.end()) range.begin = std::min(window.begin, first->begin);
  if (part.begin == 0 && range.begin <= kMargin && range.begin <= free / 2) range.begin = 0;
  for (auto word = first; word != words.end(); ++word) {
    if (word->end > std::min(part.end, range.begin + max_bytes)) break;
    range.end = std::max(range.end, word->end);
  }
  const bool is_last = words.empty() || range.end >= words.back().end;
  const bool fits = text_bytes - range.begin <= max_bytes;
  if (is_last && fits && text_bytes - range.end <= kMargin) range.end = text_bytes;
  return range;
}

/// The range without cut graphemes: wider, if that fits into the bytes, else narrower.
TextPiece at_graphemes(TextPiece range, std::string_view text, std::size_t max_bytes) {
  const std::size_t before = grapheme_border_before(text, range.begin);
  const bool fits_before = range.end - before <= max_bytes;
  range.begin = fits_before ? before : grapheme_border_after(text, range.begin);
  const std::size_t after = grapheme_border_after(text, range.end);
  const bool fits_after = after <= range.begin + max_bytes;
  range.end = fits_after ? after : grapheme_border_before(text, range.end);
  range.end = std::max(range.begin, range.end);
  return range;
}

/// Those of `matches`, which are in the order of their beginnings, that begin in a range.
std::span<const MarkedRange> begun_in(std::span<const MarkedRange> matches, TextPiece range) {
  const auto first = std::ranges::lower_bound(matches, range.begin, {}, &MarkedRange::begin);
  return {first,
          std::ranges::lower_bound(first, matches.end(), range.end, {}, &MarkedRange::begin)};
}

/// Takes a piece out of the free parts.
void take(TextPiece piece, std::size_t of, std::vector<FreePart>& parts) {
  const FreePart part = parts[of];
  const TextPiece before{part.range.begin, std::max(part.range.begin, piece.begin)};
  const TextPiece behind{std::min(part.range.end, piece.end), part.range.end};
  parts[of] = {before, begun_in(part.matches, before)};
  parts.push_back({behind, begun_in(part.matches, behind)});
}

}  // namespace

std::vector<TextPiece> choose_pieces(std::string_view text, const std::vector<Token>& words,
                                     const TextMatches& matches, std::size_t max_bytes,
                                     std::size_t most) {
  std::vector<TextPiece> pieces;
  std::vector<FreePart> parts{{{0, text.size()}, matches.ranges}};
  std::vector<bool> shown(matches.wanted);
  while (pieces.size() < most) {
    Window best;
    std::size_t of = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Window window = best_window(parts[i], shown, max_bytes);
      if (window.value <= best.value) continue;
      best = window;
      of = i;
    }
    if (best.value[2] == 0 && !pieces.empty()) break;
    TextPiece piece = widened(best.range, words, parts[of].range, text.size(), max_bytes);
    if (piece.begin == piece.end) piece = {0, max_bytes};  // a huge word
    piece = at_graphemes(piece, text, max_bytes);
    pieces.push_back(piece);
    if (best.value[2] == 0) break;
    for (const MarkedRange& match : begun_in(parts[of].matches, piece)) shown[match.number] = true;
    take(piece, of, parts);
  }
  std::ranges::sort(pieces, {}, &TextPiece::begin);
  return pieces;
}

}  // namespace warpdex
