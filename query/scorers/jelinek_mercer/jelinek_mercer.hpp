// Query likelihood with Jelinek-Mercer smoothing (Zhai and Lafferty, SIGIR 2001):
// weight * log(1 + tf * c0 / length). Internal.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "scorers/base/arithmetic.hpp"
#include "scorers/base/natural_log.hpp"
#include "scorers/base/scorer_type.hpp"

namespace warpdex {

extern const ScorerOption kJmLambdaOption;

/// It rises with the frequency and falls with the length, and natural_log() of 1 or more is never
/// negative. Each of its operations keeps this order when it rounds, so bounds hold without slack.
/// A document without tokens counts as one of length 1.
struct JelinekMercer {
  static constexpr ScorerKind kKind = ScorerKind::kJelinekMercer;
  static constexpr std::array<const ScorerOption*, 1> kOptions{&kJmLambdaOption};
  static constexpr ScorerFacts kFacts{.name = "qljm",
                                      .report_name = "qljm",
                                      .title = "query likelihood, Jelinek-Mercer smoothing",
                                      .options = kOptions,
                                      .formula = "factor * log(1 + freq * c0 / length)",
                                      .reads_occurrences = true};

  static TermScorer make(const ScorerSettings& settings, const TermStatistics& term);

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float tf, float length) {
    return term.weight * natural_log(1.F + quotient(tf * term.c0, length < 1.F ? 1.F : length));
  }

  static float largest(const TermScorer& term, std::uint64_t frequency) {
    constexpr float kLoss = 0x1p-22F;  // of the logarithm's argument, when it is rounded
    return term.weight * (std::log1p(static_cast<float>(frequency) * term.c0) * 1.00001F + kLoss);
  }
  static float lowered(const TermScorer&, float score) { return score; }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
