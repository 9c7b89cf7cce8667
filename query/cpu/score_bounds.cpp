// Scores the pairs of bounds.
#include "cpu/score_bounds.hpp"

#include <algorithm>

#include "cpu/kernels.hpp"

namespace warpdex {
namespace {

/// A rounded number; 2^32, to which the largest frequencies are rounded up, as 2^32 - 1.
std::uint32_t rounded(std::uint8_t code) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rounded_value(code), 0xFFFFFFFFU));
}

float largest_pair(const TermScorer& scorer, const ScoreBound& bound) {
  float largest = 0;
  for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
    largest =
        std::max(largest, scorer(rounded(bound.frequencies[pair]), rounded(bound.lengths[pair])));
  }
  return largest;
}

}  // namespace

void ScoreBounds::compute(std::size_t place) {
  first_ = place;
  const std::size_t count = std::min(kAtOnce, stored_.size() - place);
  const ScoreBound* const stored = stored_.data() + place;
  if (scorer_->kind == ScorerKind::kImpact) {
    kernels().bound_impacts(*scorer_, stored, count, values_);
    return;
  }
  if (scorer_->kind == ScorerKind::kBm25) {
    kernels().bound_bm25(*scorer_, stored, count, values_);
  } else {
    std::transform(stored, stored + count, values_,
                   [&](const ScoreBound& bound) { return largest_pair(*scorer_, bound); });
  }
  for (std::size_t i = 0; i < count; ++i) values_[i] *= kBoundSlack;
}

}  // namespace warpdex
