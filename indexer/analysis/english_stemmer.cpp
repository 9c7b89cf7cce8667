#include "warpdex/indexer/analysis/english_stemmer.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <new>

#include "warpdex/core/error.hpp"

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
  return std::binary_search(kStopWords.begin(), kStopWords.end(), folded);
}

std::string_view strip_possessive(std::string_view word) {
  if (word.empty() || (word.back() != 's' && word.back() != 'S')) return word;
  const std::string_view front = word.substr(0, word.size() - 1);
  for (const std::string_view apostrophe : kApostrophes) {
    if (front.ends_with(apostrophe)) return front.substr(0, front.size() - apostrophe.size());
  }
  return word;
}

void EnglishStemmer::Delete::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

EnglishStemmer::EnglishStemmer() : stemmer_(sb_stemmer_new("english", "UTF_8")) {
  if (stemmer_ == nullptr) {
    throw Error("libstemmer has no English stemmer: install one built with all its languages.");
  }
}

std::string_view EnglishStemmer::stem(std::string_view folded) {
  const sb_symbol* stemmed =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(folded.data()),
                      static_cast<int>(folded.size()));
  if (stemmed == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stemmed),
          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

std::string_view EnglishWords::term(std::string_view word) {
  const std::string_view folded = folder_.fold(strip_possessive(word));
  if (is_stop_word(folded)) return {};
  return stemmer_.stem(folded);
}

}  // namespace warpdex::analysis
