// Scores the pairs of bounds.
#include "cpu/score_bounds.hpp"

#include <algorithm>

#include "cpu/kernels.hpp"

namespace warpdex {

void ScoreBounds::compute(std::size_t place) {
  first_ = place;
  const std::size_t count = std::min(kAtOnce, stored_.size() - place);
  const ScorerKernels& loops = kernels().of(scorer_->kind);
  if (loops.bound == nullptr) {
    std::fill_n(values_, count, largest_);
    return;
  }
  loops.bound(*scorer_, stored_.data() + place, count, values_);
  for (std::size_t i = 0; i < count; ++i) values_[i] *= slack_;
}

}  // namespace warpdex
