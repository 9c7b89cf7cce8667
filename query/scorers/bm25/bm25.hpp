// BM25: weight * (tf / (tf + (c0 + c1 * length))). Internal.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scorers/base/arithmetic.hpp"
#include "scorers/base/scorer_type.hpp"

namespace warpdex {

/// k1 and b, as BM25 and its kin read them.
extern const ScorerOption kK1Option;
extern const ScorerOption kBOption;
extern const ScorerOption kFormOption;

struct Bm25 {
  static constexpr ScorerKind kKind = ScorerKind::kBm25;
  static constexpr std::array<const ScorerOption*, 3> kOptions{&kK1Option, &kBOption, &kFormOption};
  static constexpr ScorerFacts kFacts{.name = "bm25",
                                      .report_name = "bm25",
                                      .title = "",
                                      .options = kOptions,
                                      .formula = "factor * (freq / (freq + (c0 + c1 * length)))",
                                      .bound_slack = kBoundSlack,
                                      .units = {.form = UnitForm::kBm25, .are_capped = true}};

  static TermScorer make(const ScorerSettings& settings, const TermStatistics& term);

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float tf, float length) {
    return term.weight * quotient(tf, tf + (term.c0 + term.c1 * length));
  }

  /// A frequency's share of itself and more is at most 1.
  static float largest(const TermScorer& term, std::uint64_t) { return term.weight; }
  static float lowered(const TermScorer&, float score) { return below_rounding(score); }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
