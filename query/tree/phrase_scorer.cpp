#include "tree/phrase_scorer.hpp"

#include <algorithm>
#include <cmath>

#include "scorers/scorers.hpp"

namespace warpdex {

PhraseScorer::PhraseScorer(std::span<const TermScorer> words) {
  for (const TermScorer& word : words) {
    const auto same = std::ranges::find_if(parts_, [&](const TermScorer& part) {
      return part.c0 == word.c0 && part.c1 == word.c1 && part.c2 == word.c2;
    });
    if (same == parts_.end()) {
      parts_.push_back(word);
    } else {
      same->weight += word.weight;
    }
  }
  for (const TermScorer& part : parts_) {
    rises_ = rises_ && facts_of(part.kind).rises;
    slack_ = std::max(slack_, facts_of(part.kind).bound_slack);
  }
  slack_ *= 1.0F + 2e-7F * static_cast<float>(parts_.size());  // sums are rounded
}

float PhraseScorer::score(float frequency, std::uint32_t length) const {
  float sum = 0;
  for (const TermScorer& part : parts_) sum += part.of_phrase(frequency, length);
  return sum;
}

float PhraseScorer::largest(std::uint64_t frequency) const {
  float sum = 0;
  for (const TermScorer& part : parts_) sum += largest_score(part, frequency);
  return sum * slack_;
}

float PhraseScorer::bound(float frequency, std::uint32_t length) const {
  if (!rises_) return largest(static_cast<std::uint64_t>(std::ceil(frequency)));
  return score(frequency, length) * slack_;
}

const PlannedTerm* find_anywhere(const PlannedNode& word) {
  for (const std::optional<PlannedTerm>& term : word.terms) {
    if (term) return &*term;
  }
  return word.elsewhere ? &*word.elsewhere : nullptr;
}

}  // namespace warpdex
