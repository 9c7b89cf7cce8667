// Query likelihood with Dirichlet smoothing:
// weight * part(log((1 + tf * c0) * (c1 / (length + c1)))). Internal.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "scorers/base/arithmetic.hpp"
#include "scorers/base/likelihood_part.hpp"
#include "scorers/base/natural_log.hpp"
#include "scorers/base/scorer_type.hpp"

namespace warpdex {

extern const ScorerOption kMuOption;

struct QueryLikelihood {
  static constexpr ScorerKind kKind = ScorerKind::kQueryLikelihood;
  static constexpr std::array<const ScorerOption*, 1> kOptions{&kMuOption};
  static constexpr ScorerFacts kFacts{
      .name = "qld",
      .report_name = "qld",
      .title = "query likelihood, Dirichlet smoothing",
      .options = kOptions,
      .formula = "factor * log((1 + freq * c0) * (c1 / (length + c1)))",
      .reads_occurrences = true,
      .bound_slack = kBoundSlack,
      // __logf() is off by up to 2^-21: with these weights, by a unit of a posting at most.
      .units = {.form = UnitForm::kQueryLikelihood, .slack = 8, .max_weights = 1U << 20}};

  static TermScorer make(const ScorerSettings& settings, const TermStatistics& term);

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float tf, float length) {
    return term.weight *
           likelihood_part(natural_log((1.F + tf * term.c0) * quotient(term.c1, length + term.c1)));
  }

  /// Documents have no length below 0.
  static float largest(const TermScorer& term, std::uint64_t frequency) {
    // For the rounding of the logarithm's argument, which counts for all of a score near 0, and for
    // what logarithms of 0 or less count.
    constexpr float kLoss = 0x1p-22F;
    return term.weight * (std::log1p(static_cast<float>(frequency) * term.c0) * 1.00001F + kLoss);
  }

  static float lowered(const TermScorer& term, float score) {
    // The argument of the logarithm is rounded; near 1 that counts for all of the score.
    constexpr float kLogarithms = 1e-4F;
    return below_rounding(score - term.weight * kLogarithms);
  }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
