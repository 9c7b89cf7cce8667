// Stored bounds turned into scores when they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// Bounds are kept this much above what their pairs score, since a float's rounding could put a
/// smaller frequency's score an ulp above a larger one's. Not those of impacts, which are exact.
inline constexpr float kBoundSlack = 1.0F + 1e-6F;

/// What no posting of a block, or of a range of docIDs, scores above. A few neighbours are computed
/// at a time and kept, so that a walk forward computes each once, and what is never asked for
/// costs nothing.
class ScoreBounds {
 public:
  /// Both are kept by reference. O(1).
  void reset(std::span<const ScoreBound> stored, const TermScorer& scorer) {
    stored_ = stored;
    scorer_ = &scorer;
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
  std::size_t first_ = kNone;  ///< values_ are those from here on
  float values_[kAtOnce];
};

}  // namespace warpdex
