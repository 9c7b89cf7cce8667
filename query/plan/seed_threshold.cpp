// Scores seeds, and lowers the scores by the most that rounding could have raised them.
#include "plan/seed_threshold.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// A lower bound of the score of a document that a pair of this score bounds from below: in float,
/// rounding can put the score of a larger frequency below that of a smaller one.
float lowered(const TermScorer& scorer, float score) {
  constexpr float kShare = 1.0F - 1e-6F;
  constexpr float kMin = 1e-30F;  // below, rounding is no longer relative
  // For query likelihood, the argument of the logarithm is rounded; near 1 that counts for all of
  // the score.
  constexpr float kLogarithms = 1e-4F;
  if (scorer.kind == ScorerKind::kImpact) return score;
  if (scorer.kind == ScorerKind::kQueryLikelihood) score -= scorer.weight * kLogarithms;
  return score > kMin ? score * kShare : 0.0F;
}

}  // namespace

float seed_score(const IndexSections& sections, const PostingsEntry& entry,
                 const TermScorer& scorer, std::uint32_t k) {
  if (entry.is_short()) return 0;
  const auto seeds = list_seeds(sections, entry);
  const auto rank = std::lower_bound(kSeedRanks.begin(), kSeedRanks.end(), k);
  const auto place = static_cast<std::size_t>(rank - kSeedRanks.begin());
  return place < seeds.size() ? seed_score(scorer, seeds[place]) : 0;
}

float seed_score(const TermScorer& scorer, const ListSeed& seed) {
  if (seed.frequency == 0) return 0;
  return lowered(scorer, scorer(seed.frequency, decode_length(seed.length)));
}

}  // namespace warpdex
