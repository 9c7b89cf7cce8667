#include "tests/query/engine/dense_oracle.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::test {
namespace {

bool is_same(const ScorerSettings& a, const ScorerSettings& b) {
  return a.kind == b.kind && a.form == b.form && a.k1 == b.k1 && a.b == b.b && a.mu == b.mu;
}

}  // namespace

DenseOracle::DenseOracle(const Index& index)
    : index_(index), scores_(index.counts().documents), terms_(index.counts().documents) {
  any_.ranking.place.assign(index.counts().documents, -1);
  all_.ranking.place.assign(index.counts().documents, -1);
}

void DenseOracle::add_terms(const Query& query, const ScorerSettings& scorer) {
  for (const std::uint32_t document : documents_) {
    scores_[document] = 0;
    terms_[document] = 0;
  }
  documents_.clear();
  std::map<std::string, double> weights;
  for (const QueryTerm& term : query.terms) weights[term.term] += static_cast<double>(term.weight);
  distinct_terms_ = static_cast<std::uint32_t>(weights.size());
  const auto count = static_cast<double>(index_.counts().documents);
  const double average = static_cast<double>(index_.counts().tokens) / count;
  for (const auto& [term, weight] : weights) {
    const auto entry = index_.find(term);
    if (!entry) continue;
    const Postings postings = read_postings(index_, *entry);
    const auto frequency = static_cast<double>(postings.docids.size());
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      const std::uint32_t document = postings.docids[i];
      const double value = postings.frequencies[i];
      const double score = index_.settings().impacts
                               ? value
                               : reference::bm25(scorer, count, frequency, value,
                                                 index_.lengths()[document], average);
      scores_[document] += weight * score;
      if (terms_[document]++ == 0) documents_.push_back(document);
    }
  }
}

reference::Ranking& DenseOracle::ranking_of(Kept& kept, std::uint32_t min_terms) {
  if (kept.is_made) return kept.ranking;
  auto& [ranked, place, fell_back] = kept.ranking;
  for (const reference::RankedDocument& before : ranked) place[before.document] = -1;
  ranked.clear();
  for (const std::uint32_t document : documents_) {
    if (terms_[document] < min_terms) continue;
    const double score = scores_[document];
    ranked.push_back({document, score, 1e-5 * score});
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    place[ranked[i].document] = static_cast<std::int64_t>(i);
  }
  kept.is_made = true;
  return kept.ranking;
}

const reference::Ranking& DenseOracle::rank(const Query& query, const SearchSettings& settings) {
  if (query != query_ || !is_same(settings.scorer, scorer_)) {
    add_terms(query, settings.scorer);
    any_.is_made = all_.is_made = false;
    query_ = query;
    scorer_ = settings.scorer;
  }
  if (settings.mode != QueryMode::kOr) {
    reference::Ranking& all = ranking_of(all_, std::max(distinct_terms_, 1U));
    const std::size_t enough = settings.and_or_min == 0 ? settings.k : settings.and_or_min;
    all.fell_back_to_or = false;
    if (settings.mode == QueryMode::kAnd || all.documents.size() >= enough) return all;
  }
  reference::Ranking& any = ranking_of(any_, 1);
  any.fell_back_to_or = settings.mode == QueryMode::kAndOr;
  return any;
}

}  // namespace warpdex::test
