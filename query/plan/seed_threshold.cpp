// Scores seeds, and lowers the scores by the most that rounding could have raised them.
#include "plan/seed_threshold.hpp"

#include <algorithm>

#include "scorers/scorers.hpp"

namespace warpdex {
float seed_score(const IndexSections& sections, const PostingsEntry& entry,
                 const TermScorer& scorer, std::uint32_t k) {
  if (entry.is_short()) return 0;
  const auto seeds = list_seeds(sections, entry);
  const auto rank = std::lower_bound(kSeedRanks.begin(), kSeedRanks.end(), k);
  const auto place = static_cast<std::size_t>(rank - kSeedRanks.begin());
  return place < seeds.size() ? seed_score(scorer, seeds[place]) : 0;
}

float seed_score(const TermScorer& scorer, const ListSeed& seed) {
  if (seed.frequency == 0 || !facts_of(scorer.kind).rises) return 0;
  const float score = scorer(seed.frequency, decode_length(seed.length));
  return visit_scorer(scorer.kind, [&]<class S>() { return S::lowered(scorer, score); });
}

}  // namespace warpdex
