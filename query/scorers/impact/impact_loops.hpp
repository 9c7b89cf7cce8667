// The inner loops over impacts, so plain that a compiler vectorises them. They are inlined into a
// function for each instruction set. Internal.
#pragma once

#include "scorers/base/loops.hpp"
#include "scorers/impact/impact.hpp"

namespace warpdex {

[[gnu::always_inline]] inline void score_impacts_by(const TermScorer& scorer,
                                                    const std::uint32_t* impacts, std::size_t count,
                                                    float* scores) {
  const float weight = scorer.weight;
  // Impacts are small: as signed numbers, one instruction turns them into floats.
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = weight * static_cast<float>(static_cast<std::int32_t>(impacts[i]));
  }
}

/// Bounds of impacts are the largest impacts themselves.
[[gnu::always_inline]] inline void bound_impacts_by(const TermScorer& scorer,
                                                    const ScoreBound* blocks, std::size_t count,
                                                    float* bounds) {
  const float weight = scorer.weight;
  for (std::size_t i = 0; i < count; ++i) {
    bounds[i] = weight * static_cast<float>(blocks[i].frequencies[0]);
  }
}

template <>
struct PlainLoops<Impact> {
  static void score(const TermScorer& scorer, const std::uint32_t*, const std::uint32_t* impacts,
                    const std::uint32_t*, std::size_t count, float* scores) {
    score_impacts_by(scorer, impacts, count, scores);
  }
  static void bound(const TermScorer& scorer, const ScoreBound* blocks, std::size_t count,
                    float* bounds) {
    bound_impacts_by(scorer, blocks, count, bounds);
  }
};

}  // namespace warpdex
