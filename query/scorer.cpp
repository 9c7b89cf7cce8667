// Scorers: from a term's statistics to the constants of its score, in double, rounded once.
#include "warpdex/query/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "likelihood_part.hpp"
#include "natural_log.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

/// Extreme settings must give extreme constants, never infinity, of which a score could become NaN.
float rounded(double value, float limit = kLargest) {
  return static_cast<float>(std::min(value, static_cast<double>(limit)));
}

TermScorer make_bm25(const ScorerSettings& settings, const CollectionStatistics& statistics,
                     std::uint64_t document_frequency, float weight) {
  const Bm25Constants constants =
      bm25_constants(settings.form, settings.k1, settings.b, statistics, document_frequency);
  return {.kind = ScorerKind::kBm25,
          .weight = rounded(static_cast<double>(weight) * constants.weight),
          .c0 = rounded(constants.c0),
          .c1 = rounded(constants.c1)};
}

TermScorer make_query_likelihood(const ScorerSettings& settings,
                                 const CollectionStatistics& statistics,
                                 std::uint64_t collection_frequency, float weight) {
  // The largest c0 whose product with any 32-bit frequency is still finite.
  constexpr float kLargestFactor = kLargest / 8'589'934'592.F;
  const double expected = static_cast<double>(settings.mu) *
                          static_cast<double>(collection_frequency) /
                          static_cast<double>(std::max<std::uint64_t>(statistics.tokens, 1));
  return {.kind = ScorerKind::kQueryLikelihood,
          .weight = weight,
          .c0 = expected > 0.0 ? rounded(1.0 / expected, kLargestFactor) : 0.F,
          .c1 = settings.mu};
}

}  // namespace

void ScorerSettings::validate() const {
  check_bm25_settings(k1, b);
  // Written so that NaN fails it.
  if (!(mu > 0.F) || !std::isfinite(mu)) {
    throw UsageError("mu is " + std::to_string(mu) + "; give a finite number above 0");
  }
}

ScorerKind scorer_from_name(std::string_view name) {
  if (name == "bm25") return ScorerKind::kBm25;
  if (name == "qld") return ScorerKind::kQueryLikelihood;
  throw UsageError("there is no scorer '" + std::string(name) + "'; take bm25 or qld");
}

Bm25Form bm25_form_from_name(std::string_view name) {
  if (name == "lucene") return Bm25Form::kLucene;
  if (name == "pisa") return Bm25Form::kPisa;
  throw UsageError("there is no form of BM25 '" + std::string(name) + "'; take lucene or pisa");
}

ScorerSettings effective_scorer(const IndexSettings& index, const ScorerSettings& settings) {
  ScorerSettings effective = settings;
  if (index.impacts) {
    effective.kind = ScorerKind::kImpact;
  } else if (settings.kind == ScorerKind::kImpact) {
    throw UsageError("the index holds frequencies, not impacts; score by BM25 or query likelihood");
  }
  return effective;
}

float TermScorer::operator()(std::uint32_t frequency, std::uint32_t length) const {
  const auto tf = static_cast<float>(frequency);
  const auto len = static_cast<float>(length);
  if (kind == ScorerKind::kImpact) return weight * tf;
  if (kind == ScorerKind::kBm25) return weight * (tf / (tf + (c0 + c1 * len)));
  return weight * likelihood_part(natural_log((1.F + tf * c0) * (c1 / (len + c1))));
}

float largest_likelihood(const TermScorer& scorer, std::uint64_t frequency) {
  // For the rounding of the logarithm's argument, which counts for all of a score near 0, and for
  // what logarithms of 0 or less count.
  constexpr float kLoss = 0x1p-22F;
  return scorer.weight * (std::log1p(static_cast<float>(frequency) * scorer.c0) * 1.00001F + kLoss);
}

TermScorer make_term_scorer(const ScorerSettings& settings, const CollectionStatistics& statistics,
                            std::uint64_t document_frequency, std::uint64_t collection_frequency,
                            float weight) {
  switch (settings.kind) {
    case ScorerKind::kBm25: return make_bm25(settings, statistics, document_frequency, weight);
    case ScorerKind::kQueryLikelihood:
      return make_query_likelihood(settings, statistics, collection_frequency, weight);
    case ScorerKind::kImpact: break;
  }
  return {.kind = ScorerKind::kImpact, .weight = weight};
}

}  // namespace warpdex
