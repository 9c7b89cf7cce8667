// Spelling corrections: terms of an index that are similar to a word that it does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex {

/// A term that may have been meant.
struct Correction {
  std::string_view term;        ///< valid while the corrector lives
  std::uint64_t documents = 0;  ///< documents that have it
  std::uint32_t edits = 0;      ///< between the term and the word that was asked for
};

/// Finds corrections among the terms of an index. Immutable; any number of threads may use it.
///
/// An edit inserts, leaves out or changes one code point, or exchanges two neighbours. Corrections
/// are at most 2 edits away, or 1 for a term with fewer than 5 code points. All terms are scanned:
/// those whose letters differ too much are skipped by a bit pattern of their letters, the others
/// are compared (metric::LevenshteinFrom).
class SpellingCorrector {
 public:
  struct Word {
    std::string_view term;
    std::uint64_t documents = 0;  ///< 0: never offered
  };

  /// `words` are different from each other. O(bytes). Memory: the terms, and 20 bytes each.
  explicit SpellingCorrector(const std::vector<Word>& words);

  /// The terms of live documents. O(bytes), with several segments O(bytes log terms). Takes twice
  /// the memory while it is made. Throws FormatError for a damaged lexicon.
  explicit SpellingCorrector(const Snapshot& index);

  /// Up to `count` corrections of `term`, never the term itself. Ordered by edits ascending, then
  /// by documents descending, then by their bytes. None for a term without a letter. O(terms),
  /// 2 to 3 ns for each.
  std::vector<Correction> corrections(std::string_view term, std::size_t count = 3) const;

  /// How many terms there are.
  std::size_t size() const { return terms_.size(); }

 private:
  struct Unsorted;
  struct Term {
    std::uint64_t begin;  ///< in text_
    std::uint32_t size;
    std::uint32_t documents;
  };

  void sort(Unsorted unsorted);
  std::string_view text_of(const Term& term) const;

  std::string text_;
  /// By ascending length in code points; lengths of 255 or more are not told apart.
  std::vector<Term> terms_;
  std::vector<std::uint32_t> letters_;      ///< a bit for each letter that the term has
  std::vector<std::size_t> length_begins_;  ///< the first term of each length, and one for the end
};

}  // namespace warpdex
