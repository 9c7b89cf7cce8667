// BM25 with lengths as Lucene keeps them, in one byte: for scores like those of a Lucene index.
// Internal.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scorers/base/arithmetic.hpp"
#include "scorers/base/scorer_type.hpp"
#include "scorers/bm25/bm25.hpp"

namespace warpdex {

/// What Lucene keeps of a length: of what is above 24, the highest four binary digits. So lengths
/// up to 40 stay exact, and longer ones are rounded down by up to an eighth. It never falls as the
/// length rises.
WARPDEX_HOST_DEVICE inline float lucene_length(float length) {
  constexpr float kExact = 24;
  constexpr std::uint32_t kFourDigits = 0xFFF00000;  // of a float: the first one is not stored
  if (length < kExact) return length;
  const auto rest = __builtin_bit_cast(std::uint32_t, length - kExact);
  return kExact + __builtin_bit_cast(float, rest& kFourDigits);
}

/// It rises with the frequency and falls with the length as BM25 does, so pairs of both bound it.
struct Bm25Lucene {
  static constexpr ScorerKind kKind = ScorerKind::kBm25Lucene;
  static constexpr std::array<const ScorerOption*, 2> kOptions{&kK1Option, &kBOption};
  static constexpr ScorerFacts kFacts{
      .name = "bm25-lucene",
      .report_name = "bm25-lucene",
      .title = "BM25 with lengths rounded as Lucene does",
      .options = kOptions,
      .formula = "factor * (freq / (freq + (c0 + c1 * length))), the length rounded as by Lucene",
      .bound_slack = kBoundSlack};

  static TermScorer make(const ScorerSettings& settings, const TermStatistics& term);

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float tf, float length) {
    return Bm25::score(term, tf, lucene_length(length));
  }

  static float largest(const TermScorer& term, std::uint64_t frequency) {
    return Bm25::largest(term, frequency);
  }
  static float lowered(const TermScorer&, float score) { return below_rounding(score); }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
