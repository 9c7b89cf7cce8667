// The CPU's loops over postings and over bounds, for any scorer. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// Instructions of any processor.
template <class Scorer>
struct PlainLoops {
  static void score(const TermScorer& term, const std::uint32_t* docids,
                    const std::uint32_t* frequencies, const std::uint32_t* lengths,
                    std::size_t count, float* scores) {
    for (std::size_t i = 0; i < count; ++i) {
      scores[i] = Scorer::score(term, static_cast<float>(frequencies[i]),
                                static_cast<float>(lengths[docids[i]]));
    }
  }

  static void bound(const TermScorer& term, const ScoreBound* blocks, std::size_t count,
                    float* bounds) {
    for (std::size_t i = 0; i < count; ++i) {
      float bound = 0;
      for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
        bound = std::max(bound, Scorer::score(term, decode_rounded(blocks[i].frequencies[pair]),
                                              decode_rounded(blocks[i].lengths[pair])));
      }
      bounds[i] = bound;
    }
  }
};

/// Those of AVX2 and AVX-512, which a scorer may have of its own, in its folder.
template <class Scorer>
struct Avx2Loops : PlainLoops<Scorer> {};
template <class Scorer>
struct Avx512Loops : Avx2Loops<Scorer> {};

}  // namespace warpdex
