// The setting of Jelinek-Mercer smoothing, its constants and explanation.
#include "scorers/jelinek_mercer/jelinek_mercer.hpp"

#include <algorithm>

#include "scorers/base/explained_numbers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

const ScorerOption kJmLambdaOption{
    .name = "jm_lambda",
    .meaning = "the collection's share in Jelinek-Mercer smoothing, above 0, at most 1",
    .number = &ScorerSettings::jm_lambda,
    .check = [](float lambda) {
      if (!(lambda > 0.F && lambda <= 1.F)) {
        throw UsageError("jm_lambda is " + std::to_string(lambda) +
                         "; give a number above 0, at most 1");
      }
    }};

TermScorer JelinekMercer::make(const ScorerSettings& settings, const TermStatistics& term) {
  const double lambda = settings.jm_lambda;
  const double expected = lambda * static_cast<double>(term.collection_frequency) /
                          static_cast<double>(std::max<std::uint64_t>(term.collection.tokens, 1));
  return {.kind = kKind,
          .weight = term.weight,
          .c0 = expected > 0.0 ? rounded_constant((1.0 - lambda) / expected, kLargestFactor) : 0.F};
}

std::string JelinekMercer::explain(const TermExplanation& term, const Explanation& of) {
  return counted_in_all(term, of) + "; " + shown(term.factor) + " * log(1 + " +
         std::to_string(term.frequency) + " * " + shown(term.c0) + " / " +
         std::to_string(of.length) + ")";
}

}  // namespace warpdex
