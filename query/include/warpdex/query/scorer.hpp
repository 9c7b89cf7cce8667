// How engines score: the scorer that an index has, and the function of a term.
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
/// length. It is never negative. The folders of query/scorers/ have the formulas.
///
/// Every engine computes the score by one function in float, without contraction. It adds the
/// terms of a query by ascending document frequency (equal ones by the term's bytes), and the
/// static score last. So the scores of all engines agree to the bit.
struct TermScorer {
  ScorerKind kind = ScorerKind::kBm25;
  float weight = 0;  ///< finite, 0 or more, as the others; impacts: the term's weight in the query
  float c0 = 0;      ///< what this and the others are depends on the scorer
  float c1 = 0;
  float c2 = 0;

  /// The score at a frequency of 1 or more and a document's length in tokens.
  float operator()(std::uint32_t frequency, std::uint32_t length) const;
  /// The same at the frequency of a phrase, above 0.
  float of_phrase(float frequency, std::uint32_t length) const;
};

/// An upper bound of a term's scores, if no frequency is larger.
float largest_score(const TermScorer& scorer, std::uint64_t frequency);

/// The scorer of a term that has the weight `weight` in the query, is in `document_frequency`
/// documents and occurs `collection_frequency` times in all.
TermScorer make_term_scorer(const ScorerSettings& settings, const CollectionStatistics& statistics,
                            std::uint64_t document_frequency, std::uint64_t collection_frequency,
                            float weight);

}  // namespace warpdex
