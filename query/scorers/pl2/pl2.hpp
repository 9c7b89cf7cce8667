// PL2 of the divergence from randomness framework (Amati and van Rijsbergen, TOIS 2002), as Terrier
// and PISA compute it: tfn = tf * log2(1 + c1 / length) occurrences, where c0 are expected, score
// weight * (tfn * log2(tfn / c0) + (c0 - tfn) * log2(e) + log2(2 pi tfn) / 2) / (tfn + 1).
// Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "scorers/base/arithmetic.hpp"
#include "scorers/base/likelihood_part.hpp"
#include "scorers/base/natural_log.hpp"
#include "scorers/base/scorer_type.hpp"

namespace warpdex {

extern const ScorerOption kPl2COption;

/// Where tfn is below c0, more occurrences can lower the score, so neither pairs nor seeds of an
/// index bound it: only the largest score of a list does, and nearly all postings are read. The
/// formula can be negative; such shares count next to nothing, as those of query likelihood.
struct Pl2 {
  static constexpr ScorerKind kKind = ScorerKind::kPl2;
  static constexpr std::array<const ScorerOption*, 1> kOptions{&kPl2COption};
  static constexpr ScorerFacts kFacts{
      .name = "pl2",
      .report_name = "pl2",
      .title = "divergence from randomness; exhaustive, so slow",
      .options = kOptions,
      .formula =
          "factor * (tfn * log2(tfn / c0) + (c0 - tfn) * log2(e) + log2(2 * pi * tfn) / 2) / "
          "(tfn + 1), where tfn = freq * log2(1 + c1 / length)",
      .rises = false,
      .reads_occurrences = true};

  static TermScorer make(const ScorerSettings& settings, const TermStatistics& term);

  /// log(1 + x) of a number of 0 or more, exact to some units in the last place: by Kahan's way, in
  /// which the rounding of the sum cancels.
  WARPDEX_HOST_DEVICE static float log_of_one_plus(float x) {
    const float sum = 1.F + x;
    return sum == 1.F ? x : natural_log(sum) * quotient(x, sum - 1.F);
  }

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float tf, float length) {
    constexpr float kLog2OfE = 1.44269504F;
    constexpr float kTwoPi = 6.28318531F;
    constexpr float kLeast = 0x1p-40F;  // where the length makes next to nothing of a frequency
    const float part = log_of_one_plus(quotient(term.c1, length < 1.F ? 1.F : length));
    const float normal = tf * (part * kLog2OfE);
    const float tfn = normal < kLeast ? kLeast : normal;
    const float gain = (tfn * natural_log(quotient(tfn, term.c0)) + (term.c0 - tfn)) +
                       0.5F * natural_log(kTwoPi * tfn);
    return term.weight * likelihood_part(quotient(gain * kLog2OfE, tfn + 1.F));
  }

  /// Term by term: tfn / (tfn + 1) is below 1; (c0 - tfn) / (tfn + 1) is at most c0; and
  /// log(2 pi tfn) / (2 tfn + 2) is below 0.47. tfn is largest in a document of length 1.
  static float largest(const TermScorer& term, std::uint64_t frequency) {
    const double tfn = static_cast<double>(frequency) * std::log2(1 + static_cast<double>(term.c1));
    const double c0 = term.c0;
    const double most = (std::max(0.0, std::log(tfn / c0)) + c0 + 0.5) * std::numbers::log2e;
    return term.weight * static_cast<float>(most * 1.0001);
  }
  static float lowered(const TermScorer&, float) { return 0; }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
