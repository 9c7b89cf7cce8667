// The English stemmer of Snowball 3 ("Porter2"). Internal to indexer/analysis.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex::analysis {

/// Stems English words by the algorithm of
/// https://snowballstem.org/algorithms/english/stemmer.html. It is implemented here because
/// releases of libstemmer differ ("universal", "adding"), and an index must not depend on which one
/// is installed.
class EnglishStemmer {
 public:
  /// The stem of a case-folded word in UTF-8; valid until the next call. May be empty ("'''").
  std::string_view stem(std::string_view folded);

 private:
  // The word with one byte a code point (kOther for those past ASCII), and 'Y' for the letter y
  // where it is a consonant.
  std::string word_;
  std::string result_;
  std::size_t r1_ = 0, r2_ = 0;  // where the regions R1 and R2 begin

  void mark_consonant_y();
  void find_regions();
  void remove_possessive();    // step 0
  void remove_plural();        // step 1a
  void remove_verb_ending();   // step 1b
  void repair_verb_stem();     // step 1b, after a removal
  void replace_final_y();      // step 1c
  void shorten_suffix();       // step 2
  void shorten_more();         // step 3
  void remove_suffix();        // step 4
  void remove_final_e_or_l();  // step 5
  std::string_view restored(std::string_view folded);

  bool ends_with(std::string_view suffix) const { return word_.ends_with(suffix); }
  bool has_vowel_before(std::size_t end) const;
  bool has_short_syllable_before(std::size_t end) const;
  std::size_t start_of(std::string_view suffix) const { return word_.size() - suffix.size(); }
  void replace_end(std::size_t start, std::string_view by) { word_.replace(start, word_.npos, by); }
};

}  // namespace warpdex::analysis
