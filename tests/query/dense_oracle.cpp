#include "tests/query/dense_oracle.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::test {

DenseOracle::DenseOracle(const Index& index)
    : index_(index), scores_(index.counts().documents), terms_(index.counts().documents) {
  ranking_.place.assign(index.counts().documents, -1);
}

void DenseOracle::add_terms(const Query& query, const ScorerSettings& scorer) {
  for (const std::uint32_t document : documents_) {
    scores_[document] = 0;
    terms_[document] = 0;
  }
  documents_.clear();
  std::map<std::string, std::uint32_t> multiplicities;
  for (const QueryTerm& term : query.terms) ++multiplicities[term.term];
  distinct_terms_ = static_cast<std::uint32_t>(multiplicities.size());
  const auto count = static_cast<double>(index_.counts().documents);
  const double average = static_cast<double>(index_.counts().tokens) / count;
  for (const auto& [term, multiplicity] : multiplicities) {
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
      scores_[document] += multiplicity * score;
      if (terms_[document]++ == 0) documents_.push_back(document);
    }
  }
}

void DenseOracle::rank_those_with(std::uint32_t least_terms) {
  std::vector<reference::RankedDocument>& ranked = ranking_.documents;
  for (const reference::RankedDocument& before : ranked) ranking_.place[before.document] = -1;
  ranked.clear();
  for (const std::uint32_t document : documents_) {
    if (terms_[document] < least_terms) continue;
    const double score = scores_[document];
    ranked.push_back({document, score, 1e-5 * score});
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  });
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranking_.place[ranked[i].document] = static_cast<std::int64_t>(i);
  }
}

const reference::Ranking& DenseOracle::rank(const Query& query, const SearchSettings& settings) {
  add_terms(query, settings.scorer);
  ranking_.fell_back_to_or = false;
  rank_those_with(settings.mode == QueryMode::kOr ? 1 : std::max(distinct_terms_, 1U));
  const std::size_t enough = settings.and_or_min == 0 ? settings.k : settings.and_or_min;
  if (settings.mode == QueryMode::kAndOr && ranking_.documents.size() < enough) {
    rank_those_with(1);
    ranking_.fell_back_to_or = true;
  }
  return ranking_;
}

}  // namespace warpdex::test
