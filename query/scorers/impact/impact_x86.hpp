// The loops over impacts in AVX2 and AVX-512. Internal.
#pragma once

#include "scorers/base/x86_targets.hpp"
#include "scorers/impact/impact_loops.hpp"

namespace warpdex {

template <>
struct Avx2Loops<Impact> {
  WARPDEX_AVX2 static void score(const TermScorer& scorer, const std::uint32_t*,
                                 const std::uint32_t* impacts, const std::uint32_t*,
                                 std::size_t count, float* scores) {
    score_impacts_by(scorer, impacts, count, scores);
  }
  WARPDEX_AVX2 static void bound(const TermScorer& scorer, const ScoreBound* blocks,
                                 std::size_t count, float* bounds) {
    bound_impacts_by(scorer, blocks, count, bounds);
  }
};

template <>
struct Avx512Loops<Impact> {
  WARPDEX_AVX512 static void score(const TermScorer& scorer, const std::uint32_t*,
                                   const std::uint32_t* impacts, const std::uint32_t*,
                                   std::size_t count, float* scores) {
    score_impacts_by(scorer, impacts, count, scores);
  }
  WARPDEX_AVX512 static void bound(const TermScorer& scorer, const ScoreBound* blocks,
                                   std::size_t count, float* bounds) {
    bound_impacts_by(scorer, blocks, count, bounds);
  }
};

}  // namespace warpdex
