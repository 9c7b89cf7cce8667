// Scoring functions: BM25 in two forms, query likelihood (Dirichlet), and the impacts that an index
// holds.
#pragma once

#include <cstdint>
#include <string_view>

#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/query/scorer_settings.hpp"

namespace warpdex {

/// The settings that a search of an index uses: kImpact for an index of impacts, whatever
/// `settings` are, else `settings`. Throws UsageError for kImpact if the index holds frequencies.
ScorerSettings effective_scorer(const IndexSettings& index, const ScorerSettings& settings);

/// The score of one term in one document, as a function of its frequency and the document's
/// length. It grows with the frequency, falls with the length, and is never negative.
///
/// BM25: weight * (tf / (tf + (c0 + c1 * len))). Query likelihood:
/// weight * part(log((1 + tf * c0) * (c1 / (len + c1)))), where log is natural_log() of
/// query/natural_log.hpp, and part is likelihood_part() of query/likelihood_part.hpp: logarithms
/// above 0 as they are, others as numbers above 0 of at most 2^-86. Impacts: weight * tf, where tf
/// is the impact; see sums_are_exact().
///
/// Every engine computes the score by these operations in float, without contraction. It adds the
/// terms of a query by ascending document frequency (equal ones by the term's bytes), and the
/// static score last. So the scores of all engines agree to the bit.
struct TermScorer {
  ScorerKind kind = ScorerKind::kBm25;
  float weight = 0;  ///< finite, 0 or more, as c0 and c1; impacts: the term's weight in the query
  float c0 = 0;  ///< BM25: k1 * (1 - b); query likelihood: 1 / (mu * the term's share of tokens)
  float c1 = 0;  ///< BM25: k1 * b / average length; query likelihood: mu

  /// The score at a frequency of 1 or more and a document's length in tokens.
  float operator()(std::uint32_t frequency, std::uint32_t length) const;
};

/// An upper bound of a scorer of query likelihood for frequencies of up to `frequency`.
float largest_likelihood(const TermScorer& scorer, std::uint64_t frequency);

/// The scorer of a term that has the weight `weight` in the query, is in `document_frequency`
/// documents and occurs `collection_frequency` times in all.
TermScorer make_term_scorer(const ScorerSettings& settings, const CollectionStatistics& statistics,
                            std::uint64_t document_frequency, std::uint64_t collection_frequency,
                            float weight);

}  // namespace warpdex
