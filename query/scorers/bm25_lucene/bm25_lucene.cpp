// The constants and explanation of BM25 with Lucene's lengths.
#include "scorers/bm25_lucene/bm25_lucene.hpp"

#include "scorers/base/explained_numbers.hpp"

namespace warpdex {

TermScorer Bm25Lucene::make(const ScorerSettings& settings, const TermStatistics& term) {
  ScorerSettings lucene = settings;
  lucene.form = Bm25Form::kLucene;
  TermScorer scorer = Bm25::make(lucene, term);
  scorer.kind = kKind;
  return scorer;
}

std::string Bm25Lucene::explain(const TermExplanation& term, const Explanation& of) {
  Explanation rounded = of;
  rounded.length = static_cast<std::uint32_t>(lucene_length(static_cast<float>(of.length)));
  return Bm25::explain(term, rounded);
}

}  // namespace warpdex
