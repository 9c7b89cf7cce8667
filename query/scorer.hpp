// What makes a document's score: BM25 in two forms, and query likelihood (Dirichlet).
#pragma once

#include <cstdint>
#include <string_view>

namespace warpdex {

enum class ScorerKind { kBm25, kQueryLikelihood };
enum class Bm25Form { kLucene, kPisa };

/// Settings of a query's scorer.
struct ScorerSettings {
  ScorerKind kind = ScorerKind::kBm25;
  Bm25Form form = Bm25Form::kLucene;
  float k1 = 0.9F;    ///< 0 or more
  float b = 0.4F;     ///< 0 to 1
  float mu = 1000.F;  ///< above 0

  /// Throws UsageError, naming the setting and its range, where one is outside of it.
  void validate() const;
};

/// "bm25" or "qld" / "lucene" or "pisa"; UsageError for any other.
ScorerKind scorer_from_name(std::string_view name);
Bm25Form bm25_form_from_name(std::string_view name);

/// What scorers need to know of the collection. Empty documents count.
struct CollectionStatistics {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  double average_length() const {
    return documents == 0 ? 0.0 : static_cast<double>(tokens) / static_cast<double>(documents);
  }
};

/// The score of one term in one document, as a function of its frequency and the document's
/// length; grows with the frequency, falls with the length, never negative.
///
/// BM25: weight * (tf / (tf + (c0 + c1 * len))). Query likelihood:
/// weight * max(0, log(1 + tf * c0) + log(c1 / (len + c1))), where max and sum are over floats.
/// Every engine computes it by these operations in float, without contraction, and adds the terms
/// of a query in order of rising document frequency (equal ones by term, as bytes), last the
/// static score: so all engines' scores agree bit for bit.
struct TermScorer {
  ScorerKind kind = ScorerKind::kBm25;
  float weight = 0;
  float c0 = 0;
  float c1 = 0;

  float operator()(std::uint32_t frequency, std::uint32_t length) const;
};

/// The scorer of a term that stands `multiplicity` times in the query, is in `document_frequency`
/// documents and occurs `collection_frequency` times in all.
TermScorer make_term_scorer(const ScorerSettings& settings, const CollectionStatistics& statistics,
                            std::uint64_t document_frequency, std::uint64_t collection_frequency,
                            std::uint32_t multiplicity);

}  // namespace warpdex
