// One English word to its index term. Internal to indexer/analysis.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/analyzers.hpp"
#include "analysis/english_stemmer.hpp"
#include "analysis/word_folder.hpp"

namespace warpdex::analysis {

/// Whether `folded` is one of Lucene's 33 English stop words.
bool is_stop_word(std::string_view folded);

/// `word` without a possessive 's at its end, in either case, after any of the apostrophes
/// U+0027, U+2019 and U+FF07.
std::string_view strip_possessive(std::string_view word);

/// The steps of Lucene's EnglishAnalyzer after tokenisation: possessive, case, stop words, stem.
class EnglishWords {
 public:
  explicit EnglishWords(std::uint32_t version)
      : folds_first_(version >= kOneFormVersion), folder_(version) {}

  /// The term of a raw word, or empty if it has none. Valid until the next call.
  std::string_view term(std::string_view word);

 private:
  bool folds_first_;  // so that 's is seen in all its forms
  WordFolder folder_;
  EnglishStemmer stemmer_;
};

}  // namespace warpdex::analysis
