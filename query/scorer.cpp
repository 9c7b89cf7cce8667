// Scorers: from a term's statistics to the constants of its score, in double, rounded once.
#include "warpdex/query/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

/// Extreme settings must give extreme constants, never infinity, of which a score could become NaN.
float rounded(double value, float limit = kLargest) {
  return static_cast<float>(std::min(value, static_cast<double>(limit)));
}

double bm25_idf(Bm25Form form, double documents, double document_frequency) {
  const double odds = (documents - document_frequency + 0.5) / (document_frequency + 0.5);
  return form == Bm25Form::kLucene ? std::log1p(odds) : std::max(1e-6, std::log(odds));
}

TermScorer make_bm25(const ScorerSettings& settings, const CollectionStatistics& statistics,
                     std::uint64_t document_frequency, std::uint32_t multiplicity) {
  const auto documents = static_cast<double>(statistics.documents);
  // A damaged index may claim more documents than there are; its scores stay numbers.
  const auto frequency = static_cast<double>(std::min(document_frequency, statistics.documents));
  const double idf = bm25_idf(settings.form, documents, frequency);
  const double k1 = settings.k1;
  const double b = settings.b;
  const double factor = settings.form == Bm25Form::kPisa ? k1 + 1.0 : 1.0;
  const double average = statistics.average_length();
  return {.kind = ScorerKind::kBm25,
          .weight = rounded(multiplicity * idf * factor),
          .c0 = rounded(k1 * (1.0 - b)),
          .c1 = average > 0.0 ? rounded(k1 * b / average) : 0.F};
}

TermScorer make_query_likelihood(const ScorerSettings& settings,
                                 const CollectionStatistics& statistics,
                                 std::uint64_t collection_frequency, std::uint32_t multiplicity) {
  // The largest c0 whose product with any 32-bit frequency is still finite.
  constexpr float kLargestFactor = kLargest / 8'589'934'592.F;
  const double expected = static_cast<double>(settings.mu) *
                          static_cast<double>(collection_frequency) /
                          static_cast<double>(std::max<std::uint64_t>(statistics.tokens, 1));
  return {.kind = ScorerKind::kQueryLikelihood,
          .weight = static_cast<float>(multiplicity),
          .c0 = expected > 0.0 ? rounded(1.0 / expected, kLargestFactor) : 0.F,
          .c1 = settings.mu};
}

}  // namespace

void ScorerSettings::validate() const {
  // Written so that NaN fails each of them.
  if (!(k1 >= 0.F) || !std::isfinite(k1)) {
    throw UsageError("k1 is " + std::to_string(k1) + "; give a finite number of 0 or more.");
  }
  if (!(b >= 0.F && b <= 1.F)) {
    throw UsageError("b is " + std::to_string(b) + "; give a number from 0 to 1.");
  }
  if (!(mu > 0.F) || !std::isfinite(mu)) {
    throw UsageError("mu is " + std::to_string(mu) + "; give a finite number above 0.");
  }
}

ScorerKind scorer_from_name(std::string_view name) {
  if (name == "bm25") return ScorerKind::kBm25;
  if (name == "qld") return ScorerKind::kQueryLikelihood;
  throw UsageError("There is no scorer '" + std::string(name) + "'; take bm25 or qld.");
}

Bm25Form bm25_form_from_name(std::string_view name) {
  if (name == "lucene") return Bm25Form::kLucene;
  if (name == "pisa") return Bm25Form::kPisa;
  throw UsageError("There is no form of BM25 '" + std::string(name) + "'; take lucene or pisa.");
}

float TermScorer::operator()(std::uint32_t frequency, std::uint32_t length) const {
  const auto tf = static_cast<float>(frequency);
  const auto len = static_cast<float>(length);
  if (kind == ScorerKind::kBm25) return weight * (tf / (tf + (c0 + c1 * len)));
  // std::log of a float is the C library's logf: the same on one machine, not on every one.
  return weight * std::max(0.F, std::log(1.F + tf * c0) + std::log(c1 / (len + c1)));
}

TermScorer make_term_scorer(const ScorerSettings& settings, const CollectionStatistics& statistics,
                            std::uint64_t document_frequency, std::uint64_t collection_frequency,
                            std::uint32_t multiplicity) {
  return settings.kind == ScorerKind::kBm25
             ? make_bm25(settings, statistics, document_frequency, multiplicity)
             : make_query_likelihood(settings, statistics, collection_frequency, multiplicity);
}

}  // namespace warpdex
