// Computes upper bounds of scores from stored pairs, when they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "scorers/scorers.hpp"
#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// Upper bounds of the scores in blocks, or in ranges of docIDs. A few neighbours are computed
/// together and kept, so that a walk forward computes each bound once.
class ScoreBounds {
 public:
  /// Keeps references. `largest`: the bound of a scorer that pairs do not bound. O(1).
  void reset(std::span<const ScoreBound> stored, const TermScorer& scorer, float largest = 0) {
    stored_ = stored;
    largest_ = largest;
    scorer_ = &scorer;
    slack_ = facts_of(scorer.kind).bound_slack;
    first_ = kNone;
  }

  /// The bound at a place below size().
  float operator[](std::size_t place) {
    if (place - first_ >= kAtOnce) compute(place);
    return values_[place - first_];
  }

  std::size_t size() const { return stored_.size(); }

  /// The largest of the bounds from `begin` to before `end`, 0 if there are none. O(end - begin).
  float largest(std::size_t begin, std::size_t end) {
    float bound = 0;
    for (std::size_t place = begin; place < end; ++place) {
      bound = std::max(bound, (*this)[place]);
    }
    return bound;
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  static constexpr std::size_t kNone = ~std::size_t{0} / 2;

  void compute(std::size_t place);

  std::span<const ScoreBound> stored_;
  const TermScorer* scorer_ = nullptr;
  float largest_ = 0;
  float slack_ = 1;            ///< the scorer's factor of bounds
  std::size_t first_ = kNone;  ///< the place of values_[0]
  float values_[kAtOnce];
};

}  // namespace warpdex
