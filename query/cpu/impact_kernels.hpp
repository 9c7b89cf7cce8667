// The inner loops over impacts, so plain that a compiler vectorises them. They are inlined into a
// function for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/scorer.hpp"

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

[[gnu::always_inline]] inline void bound_impacts_by(const TermScorer& scorer,
                                                    const ScoreBound* blocks, std::size_t count,
                                                    float* bounds) {
  const float weight = scorer.weight;
  for (std::size_t i = 0; i < count; ++i) {
    bounds[i] = weight * static_cast<float>(blocks[i].frequencies[0]);
  }
}

}  // namespace warpdex
