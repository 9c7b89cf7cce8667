// One English word to its index term. Internal to indexer/analysis.
#pragma once

#include <string_view>

#include "analysis/case_folder.hpp"
#include "analysis/english_stemmer.hpp"

namespace warpdex::analysis {

/// Whether `folded` is one of Lucene's 33 English stop words.
bool is_stop_word(std::string_view folded);

/// `word` without a possessive 's at its end, in either case, after any of the apostrophes
/// U+0027, U+2019 and U+FF07.
std::string_view strip_possessive(std::string_view word);

/// The steps of Lucene's EnglishAnalyzer after tokenisation: possessive, case, stop words, stem.
class EnglishWords {
 public:
  /// The term of a raw word, or empty if it has none. Valid until the next call, and no longer than
  /// `word`.
  std::string_view term(std::string_view word);

 private:
  CaseFolder folder_;
  EnglishStemmer stemmer_;
};

}  // namespace warpdex::analysis
