// What a phrase scores. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

 private:
  std::vector<TermScorer> parts_;
  float slack_ = 1;  ///< of bounds
  bool rises_ = true;
};

}  // namespace warpdex
