// The stemmer's tables and steps, in the order in which they are applied.
#include "analysis/english_stemmer.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace warpdex::analysis {
namespace {

constexpr char kOther = '\xFF';

struct Replacement {
  std::string_view from;
  std::string_view to;
};

// Words with stems of their own.
constexpr std::array<Replacement, 15> kExceptions = {{{"skis", "ski"},
                                                      {"skies", "sky"},
                                                      {"idly", "idl"},
                                                      {"gently", "gentl"},
                                                      {"ugly", "ugli"},
                                                      {"early", "earli"},
                                                      {"only", "onli"},
                                                      {"singly", "singl"},
                                                      {"sky", "sky"},
                                                      {"news", "news"},
                                                      {"howe", "howe"},
                                                      {"atlas", "atlas"},
                                                      {"cosmos", "cosmos"},
                                                      {"bias", "bias"},
                                                      {"andes", "andes"}}};

constexpr std::size_t kLongestException = 6;

// Beginnings after which R1 starts.
constexpr std::array<std::string_view, 9> kPrefixes = {
    "gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter"};

// Where one suffix ends in another, the longer stands first.
constexpr std::array<Replacement, 25> kStep2 = {
    {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},  {"anci", "ance"},
     {"abli", "able"},   {"entli", "ent"},   {"izer", "ize"},   {"ization", "ize"},
     {"ation", "ate"},   {"ator", "ate"},    {"alism", "al"},   {"aliti", "al"},
     {"alli", "al"},     {"fulness", "ful"}, {"ousli", "ous"},  {"ousness", "ous"},
     {"iveness", "ive"}, {"iviti", "ive"},   {"biliti", "ble"}, {"bli", "ble"},
     {"ogist", "og"},    {"ogi", "og"},      {"fulli", "ful"},  {"lessli", "less"},
     {"li", ""}}};
constexpr std::array<Replacement, 9> kStep3 = {{{"ational", "ate"},
                                                {"tional", "tion"},
                                                {"alize", "al"},
                                                {"icate", "ic"},
                                                {"iciti", "ic"},
                                                {"ical", "ic"},
                                                {"ful", ""},
                                                {"ness", ""},
                                                {"ative", ""}}};
constexpr std::array<Replacement, 18> kStep4 = {{{"al", ""},
                                                 {"ance", ""},
                                                 {"ence", ""},
                                                 {"er", ""},
                                                 {"ic", ""},
                                                 {"able", ""},
                                                 {"ible", ""},
                                                 {"ant", ""},
                                                 {"ement", ""},
                                                 {"ment", ""},
                                                 {"ent", ""},
                                                 {"ism", ""},
                                                 {"ate", ""},
                                                 {"iti", ""},
                                                 {"ous", ""},
                                                 {"ive", ""},
                                                 {"ize", ""},
                                                 {"ion", ""}}};

bool is_one_of(char letter, std::string_view letters) {
  return letters.find(letter) != std::string_view::npos;
}
bool is_vowel(char letter) { return is_one_of(letter, "aeiouy"); }

const Replacement* find_suffix(std::string_view word, std::span<const Replacement> suffixes) {
  if (word.empty()) return nullptr;
  const auto found = std::find_if(suffixes.begin(), suffixes.end(), [&](const Replacement& each) {
    return word.back() == each.from.back() && word.ends_with(each.from);
  });
  return found == suffixes.end() ? nullptr : &*found;
}

/// The first of `suffixes` that `word` ends with, or an empty view.
std::string_view first_suffix(std::string_view word,
                              std::initializer_list<std::string_view> suffixes) {
  for (const std::string_view suffix : suffixes) {
    if (word.ends_with(suffix)) return suffix;
  }
  return {};
}

/// Just past the first non-vowel after the first vowel from `start` on; at most the word's end.
std::size_t region_after(std::string_view word, std::size_t start) {
  while (start < word.size() && !is_vowel(word[start])) ++start;
  while (start < word.size() && is_vowel(word[start])) ++start;
  return std::min(start + 1, word.size());
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }
bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

}  // namespace

std::string_view EnglishStemmer::stem(std::string_view folded) {
  if (folded.size() <= kLongestException) {
    for (const Replacement& exception : kExceptions) {
      if (folded == exception.from) return exception.to;
    }
  }
  word_.clear();
  for (const char byte : folded) {
    if (!is_continuation(byte)) word_ += is_ascii(byte) ? byte : kOther;
  }
  if (word_.size() < 3) return folded;
  if (word_.front() == '\'') word_.erase(0, 1);
  mark_consonant_y();
  find_regions();
  remove_possessive();
  remove_plural();
  remove_verb_ending();
  replace_final_y();
  shorten_suffix();
  shorten_more();
  remove_suffix();
  remove_final_e_or_l();
  std::replace(word_.begin(), word_.end(), 'Y', 'y');
  return restored(folded);
}

/// Puts the code points past ASCII back: no step removes or reorders them.
std::string_view EnglishStemmer::restored(std::string_view folded) {
  if (word_.find(kOther) == word_.npos) return word_;
  result_.clear();
  std::size_t next = 0;
  for (const char letter : word_) {
    if (letter != kOther) {
      result_ += letter;
      continue;
    }
    while (is_ascii(folded[next])) ++next;
    do {
      result_ += folded[next++];
    } while (next < folded.size() && is_continuation(folded[next]));
  }
  return result_;
}

void EnglishStemmer::mark_consonant_y() {
  for (std::size_t i = 0; i < word_.size(); ++i) {
    if (word_[i] == 'y' && (i == 0 || is_vowel(word_[i - 1]))) word_[i] = 'Y';
  }
}

void EnglishStemmer::find_regions() {
  r1_ = region_after(word_, 0);
  for (const std::string_view prefix : kPrefixes) {
    if (word_.starts_with(prefix)) r1_ = prefix.size();
  }
  r2_ = region_after(word_, r1_);
}

bool EnglishStemmer::has_vowel_before(std::size_t end) const {
  return std::any_of(word_.begin(), word_.begin() + static_cast<std::ptrdiff_t>(end), is_vowel);
}

bool EnglishStemmer::has_short_syllable_before(std::size_t end) const {
  const std::string_view front = std::string_view(word_).substr(0, end);
  if (front.ends_with("past")) return true;
  if (end < 2 || is_vowel(front[end - 1]) || !is_vowel(front[end - 2])) return false;
  if (end == 2) return true;
  return !is_vowel(front[end - 3]) && !is_one_of(front[end - 1], "wxY");
}

void EnglishStemmer::remove_possessive() {
  replace_end(start_of(first_suffix(word_, {"'s'", "'s", "'"})), "");
}

void EnglishStemmer::remove_plural() {
  if (ends_with("sses")) {
    replace_end(start_of("es"), "");
  } else if (ends_with("ied") || ends_with("ies")) {
    replace_end(start_of("ied"), word_.size() > 4 ? "i" : "ie");
  } else if (ends_with("s") && !ends_with("us") && !ends_with("ss")) {
    if (word_.size() > 2 && has_vowel_before(word_.size() - 2)) word_.pop_back();
  }
}

void EnglishStemmer::remove_verb_ending() {
  const std::string_view suffix =
      first_suffix(word_, {"eedly", "eed", "edly", "ed", "ingly", "ing"});
  if (suffix.empty()) return;
  const std::size_t start = start_of(suffix);
  const std::string_view front = std::string_view(word_).substr(0, start);
  if (suffix.starts_with("eed")) {
    const bool whole = front == "proc" || front == "exc" || front == "succ";
    if (start >= r1_ && !whole) replace_end(start, "ee");
    return;
  }
  if (suffix == "ing") {
    if (front.size() == 2 && front[1] == 'y' && !is_vowel(front[0])) {
      replace_end(1, "ie");
      return;
    }
    for (const std::string_view noun : {"inn", "out", "cann", "herr", "earr", "even"}) {
      if (front == noun) return;
    }
  }
  if (!has_vowel_before(start)) return;
  replace_end(start, "");
  repair_verb_stem();
}

void EnglishStemmer::repair_verb_stem() {
  const std::size_t size = word_.size();
  if (ends_with("at") || ends_with("bl") || ends_with("iz")) {
    word_ += 'e';
  } else if (size >= 2 && word_[size - 1] == word_[size - 2] &&
             is_one_of(word_[size - 1], "bdfgmnprt")) {
    const bool keeps_double = size == 3 && is_one_of(word_[0], "aeo");
    if (!keeps_double) word_.pop_back();
  } else if (r1_ >= size && has_short_syllable_before(size)) {
    word_ += 'e';
  }
}

void EnglishStemmer::replace_final_y() {
  const std::size_t size = word_.size();
  if (size > 2 && is_one_of(word_[size - 1], "yY") && !is_vowel(word_[size - 2])) {
    word_[size - 1] = 'i';
  }
}

void EnglishStemmer::shorten_suffix() {
  const Replacement* suffix = find_suffix(word_, kStep2);
  if (suffix == nullptr) return;
  const std::size_t start = start_of(suffix->from);
  if (start < r1_) return;
  if (suffix->from == "ogi" && (start == 0 || word_[start - 1] != 'l')) return;
  if (suffix->from == "li" && (start == 0 || !is_one_of(word_[start - 1], "cdeghkmnrt"))) return;
  replace_end(start, suffix->to);
}

void EnglishStemmer::shorten_more() {
  const Replacement* suffix = find_suffix(word_, kStep3);
  if (suffix == nullptr) return;
  const std::size_t start = start_of(suffix->from);
  if (start >= (suffix->from == "ative" ? r2_ : r1_)) replace_end(start, suffix->to);
}

void EnglishStemmer::remove_suffix() {
  const Replacement* suffix = find_suffix(word_, kStep4);
  if (suffix == nullptr) return;
  const std::size_t start = start_of(suffix->from);
  if (start < r2_) return;
  if (suffix->from == "ion" && (start == 0 || !is_one_of(word_[start - 1], "st"))) return;
  replace_end(start, suffix->to);
}

void EnglishStemmer::remove_final_e_or_l() {
  if (word_.empty()) return;
  const std::size_t last = word_.size() - 1;
  const bool drops_e =
      word_[last] == 'e' && (last >= r2_ || (last >= r1_ && !has_short_syllable_before(last)));
  const bool drops_l = word_[last] == 'l' && last >= r2_ && last > 0 && word_[last - 1] == 'l';
  if (drops_e || drops_l) word_.pop_back();
}

}  // namespace warpdex::analysis
