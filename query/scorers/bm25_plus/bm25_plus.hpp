// BM25+ (Lv and Zhai, CIKM 2011): weight * (tf / (tf + (c0 + c1 * length)) + c2). Each term that a
// document has counts delta more, so long documents are not punished too much. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scorers/base/arithmetic.hpp"
#include "scorers/base/scorer_type.hpp"
#include "scorers/bm25/bm25.hpp"

namespace warpdex {

extern const ScorerOption kDeltaOption;

/// As BM25 it rises with the frequency and falls with the length, since c2 depends on neither: so
/// the pairs of an index bound it. It is never negative: its idf, log((N + 1) / n), is above 0.
struct Bm25Plus {
  static constexpr ScorerKind kKind = ScorerKind::kBm25Plus;
  static constexpr std::array<const ScorerOption*, 3> kOptions{&kK1Option, &kBOption,
                                                               &kDeltaOption};
  static constexpr ScorerFacts kFacts{
      .name = "bm25+",
      .report_name = "bm25+",
      .title = "BM25 with delta more for each term",
      .options = kOptions,
      .formula = "factor * (freq / (freq + (c0 + c1 * length)) + c2)",
      .has_c2 = true,
      .bound_slack = kBoundSlack};

  static TermScorer make(const ScorerSettings& settings, const TermStatistics& term);

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float tf, float length) {
    return term.weight * (quotient(tf, tf + (term.c0 + term.c1 * length)) + term.c2);
  }

  /// The quotient is at most 1.
  static float largest(const TermScorer& term, std::uint64_t) {
    return term.weight * (1.0F + term.c2);
  }
  static float lowered(const TermScorer&, float score) { return below_rounding(score); }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
