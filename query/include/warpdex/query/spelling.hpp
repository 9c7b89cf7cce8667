// What a word that an index does not have may have been meant to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex {

/// A term that another one may stand for.
struct Correction {
  std::string_view term;        ///< valid while the corrector lives
  std::uint64_t documents = 0;  ///< that have it
  std::uint32_t edits = 0;      ///< between the two
};

/// The terms of an index, as corrections are looked for among them. Immutable and safe to use from
/// many threads.
///
/// An edit inserts, leaves out or changes one code point, or exchanges two that are neighbours.
/// Corrections are at most 2 edits away, of terms with fewer than 5 code points 1. They are found
/// by a scan: terms whose letters differ too much are passed over by a bit pattern of their
/// letters, the others are compared (metric::LevenshteinFrom).
class SpellingCorrector {
 public:
  struct Word {
    std::string_view term;
    std::uint64_t documents = 0;  ///< 0: never offered
  };

  /// `words` are different from each other. O(bytes). Memory: the terms, and 20 bytes each.
  explicit SpellingCorrector(const std::vector<Word>& words);

  /// The terms of live documents. O(bytes), with several segments O(bytes log terms). Memory:
  /// the same again meanwhile. FormatError for a damaged lexicon.
  explicit SpellingCorrector(const Snapshot& index);

  /// Up to `count` corrections of `term`, never the term itself: those with fewer edits first, then
  /// those that more documents have, then by their bytes. None for a term without a letter.
  /// O(terms); about 1 ns each.
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
  /// By ascending length in code points, those of 255 and more together.
  std::vector<Term> terms_;
  std::vector<std::uint32_t> letters_;      ///< a bit for each letter that the term has
  std::vector<std::size_t> length_begins_;  ///< the first term of each length, and one for the end
};

}  // namespace warpdex
