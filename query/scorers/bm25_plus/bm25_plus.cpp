// The setting of BM25+, its constants and explanation.
#include "scorers/bm25_plus/bm25_plus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scorers/base/explained_numbers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

const ScorerOption kDeltaOption{
    .name = "delta",
    .meaning = "the delta of BM25+, 0 or more",
    .number = &ScorerSettings::delta,
    .check = [](float delta) {
      if (!(delta >= 0.F) || !std::isfinite(delta)) {
        throw UsageError("delta is " + std::to_string(delta) + "; give a finite number, 0 or more");
      }
    }};

TermScorer Bm25Plus::make(const ScorerSettings& settings, const TermStatistics& term) {
  // A score is at most weight * (1 + c2): so this must be finite.
  constexpr float kLimit = std::numeric_limits<float>::max() / 4;
  const auto documents = static_cast<double>(term.collection.documents);
  const auto with_term = static_cast<double>(std::clamp<std::uint64_t>(
      term.document_frequency, 1, std::max<std::uint64_t>(term.collection.documents, 1)));
  const double k1 = settings.k1;
  const double b = settings.b;
  const double average = term.collection.average_length();
  const float weight = rounded_constant(
      static_cast<double>(term.weight) * std::log((documents + 1) / with_term) * (k1 + 1), kLimit);
  return {.kind = kKind,
          .weight = weight,
          .c0 = rounded_constant(k1 * (1 - b)),
          .c1 = average > 0 ? rounded_constant(k1 * b / average) : 0.F,
          .c2 = rounded_constant(static_cast<double>(settings.delta) / (k1 + 1),
                                 kLimit / std::max(weight, 1.F))};
}

std::string Bm25Plus::explain(const TermExplanation& term, const Explanation& of) {
  const std::string tf = std::to_string(term.frequency);
  return counted_here(term, of) + "; " + shown(term.factor) + " * (" + tf + " / (" + tf + " + " +
         shown(term.c0) + " + " + shown(term.c1) + " * " + std::to_string(of.length) + ") + " +
         shown(term.c2) + ")";
}

}  // namespace warpdex
