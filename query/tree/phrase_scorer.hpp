// What a phrase scores. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tree/tree_plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// The sum of the scores that the words would have with the phrase's frequency, as Lucene scores
/// phrases: of BM25, one score by the sum of the words' idf.
class PhraseScorer {
 public:
  PhraseScorer() = default;
  /// Words that differ by their weights alone are joined.
  explicit PhraseScorer(std::span<const TermScorer> words);

  /// Above 0, and rounded in the order of the words. O(words that are not joined).
  float score(float frequency, std::uint32_t length) const;
  /// An upper bound of the scores, if no frequency is larger.
  float largest(std::uint64_t frequency) const;
  /// An upper bound of the scores at that length and frequency, or less.
  float bound(float frequency, std::uint32_t length) const;
  bool rises() const { return rises_; }
  /// The factor of bounds, for their rounding.
  float slack() const { return slack_; }
  /// The one scorer that the words were joined to; null if there are several.
  const TermScorer* only() const { return parts_.size() == 1 ? parts_.data() : nullptr; }
  /// What the words were joined to, in the order in which scores are added.
  std::span<const TermScorer> parts() const { return parts_; }

 private:
  std::vector<TermScorer> parts_;
  float slack_ = 1;  ///< of bounds
  bool rises_ = true;
};

/// The word's term in whichever segment or part has it, with the statistics of all; null: none has.
const PlannedTerm* find_anywhere(const PlannedNode& word);

/// The scorer of a planned phrase that a segment has all words of. For words of an index of one
/// segment, whose plan has no statistics, own(word's number) is {documents, occurrences}.
template <class Own>
PhraseScorer make_phrase_scorer(const PlannedNode& phrase, const ScorerSettings& scorer,
                                const CollectionStatistics& statistics, const Own& own) {
  std::vector<TermScorer> words;
  for (std::size_t word = 0; word < phrase.should.size(); ++word) {
    const PlannedTerm* const term = find_anywhere(phrase.should[word]);
    if (term == nullptr) continue;  // an alternative that the index has not
    std::pair<std::uint64_t, std::uint64_t> counts(term->document_frequency,
                                                   term->collection_frequency);
    if (counts.first == 0) counts = own(word);
    words.push_back(
        make_term_scorer(scorer, statistics, counts.first, counts.second, term->weight));
  }
  return PhraseScorer(words);
}

}  // namespace warpdex
