// Query likelihood's setting, constants and explanation.
#include "scorers/query_likelihood/query_likelihood.hpp"

#include <algorithm>

#include "scorers/base/explained_numbers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

const ScorerOption kMuOption{
    .name = "mu",
    .meaning = "query likelihood's mu, above 0",
    .number = &ScorerSettings::mu,
    .check = [](float mu) {
      // Written so that NaN fails it.
      if (!(mu > 0.F) || !std::isfinite(mu)) {
        throw UsageError("mu is " + std::to_string(mu) + "; give a finite number above 0");
      }
    }};

TermScorer QueryLikelihood::make(const ScorerSettings& settings, const TermStatistics& term) {
  const double expected = static_cast<double>(settings.mu) *
                          static_cast<double>(term.collection_frequency) /
                          static_cast<double>(std::max<std::uint64_t>(term.collection.tokens, 1));
  return {.kind = kKind,
          .weight = term.weight,
          .c0 = expected > 0.0 ? rounded_constant(1.0 / expected, kLargestFactor) : 0.F,
          .c1 = settings.mu};
}

std::string QueryLikelihood::explain(const TermExplanation& term, const Explanation& of) {
  return counted_in_all(term, of) + "; " + shown(term.factor) + " * log((1 + " +
         std::to_string(term.frequency) + " * " + shown(term.c0) + ") * " + shown(term.c1) +
         " / (" + std::to_string(of.length) + " + " + shown(term.c1) + "))" + nothing_noted(term);
}

}  // namespace warpdex
