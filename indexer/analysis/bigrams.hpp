// Chinese, Japanese and Korean by pairs of characters. Internal to indexer/analysis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/term_storage.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::analysis {

/// As Lucene's CJKBigramFilter: where words of Han, Hiragana, Katakana or Hangul characters alone
/// follow each other without a gap, each two neighbours among their characters are a term; a
/// character on its own is one. Other words stay.
class Bigrams {
 public:
  /// With `unigrams`, each character is a term too, at the position of the pair that it begins.
  explicit Bigrams(bool unigrams) : unigrams_(unigrams) {}

  /// Replaces words by pairs; terms of pairs are kept in `storage`. `positions` is how many the
  /// text takes; returns how many it takes now.
  std::uint32_t join(std::vector<Token>& tokens, std::uint32_t positions, TermStorage& storage);

 private:
  /// Characters without a gap, marks with those before them.
  void append_characters(const Token& token);
  void append_run(std::uint32_t position, TermStorage& storage);

  bool unigrams_;
  std::vector<Token> run_;  // each character of words without a gap
  std::vector<Token> joined_;
  std::string pair_;
};

}  // namespace warpdex::analysis
