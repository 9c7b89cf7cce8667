// Possessives, case and stop words, then the stem.
#include "analysis/english_words.hpp"

#include <algorithm>
#include <array>

namespace warpdex::analysis {
namespace {

constexpr std::array<std::string_view, 33> kStopWords = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

constexpr std::array<std::string_view, 3> kApostrophes = {"'", "\u2019", "\uFF07"};

}  // namespace

bool is_stop_word(std::string_view folded) {
  return folded.size() <= 5 && std::binary_search(kStopWords.begin(), kStopWords.end(), folded);
}

std::string_view strip_possessive(std::string_view word) {
  if (word.empty() || (word.back() != 's' && word.back() != 'S')) return word;
  const std::string_view front = word.substr(0, word.size() - 1);
  for (const std::string_view apostrophe : kApostrophes) {
    if (front.ends_with(apostrophe)) return front.substr(0, front.size() - apostrophe.size());
  }
  return word;
}

std::string_view EnglishWords::term(std::string_view word) {
  const std::string_view folded =
      folds_first_ ? strip_possessive(folder_.fold(word)) : folder_.fold(strip_possessive(word));
  if (is_stop_word(folded)) return {};
  return stemmer_.stem(folded);
}

}  // namespace warpdex::analysis
