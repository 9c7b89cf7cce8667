#include "shards/query_scores.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "plan/excluded_words.hpp"
#include "plan/seed_threshold.hpp"
#include "plan/term_uses.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::shards {
namespace {

/// For the rounding of sums of scores.
constexpr float kSumSlack = 1.0F + 1e-4F;

/// A score that k of the term's documents reach.
float threshold_of(const TermScorer& scorer, const std::vector<PartTerm>& parts, std::uint32_t k) {
  std::vector<std::pair<float, std::uint32_t>> reached;
  for (const PartTerm& part : parts) {
    for (const PartSeed& seed : part.seeds) {
      reached.emplace_back(seed_score(scorer, seed.seed), seed.documents);
    }
  }
  std::sort(reached.begin(), reached.end(), std::greater<>());
  std::uint64_t documents = 0;
  for (const auto& [score, more] : reached) {
    documents += more;
    if (documents >= k) return score;
  }
  return 0;
}

}  // namespace

QueryScores::QueryScores(const Whole& whole, const WholeStatistics& statistics,
                         const TermTable& terms, const Query& query, const ScorerSettings& wanted)
    : whole_(&whole), is_tree_(query.tree != nullptr) {
  const ScorerSettings scorer = whole.scorer(wanted);
  const QueryAndWords parts = part_excluded_words(query);
  only_adds_ = parts.words.empty() && !is_tree_;
  for_each_term(
      sorted_uses(parts.query), [&](std::string_view term, std::span<const TermUse> uses) {
        const PlannedTerm used = planned({}, uses);
        only_adds_ = only_adds_ && !used.is_must && !used.is_prohibited;
        const TermFrequencies all = statistics.of(term);
        if (used.is_prohibited || all.documents == 0) return;
        const CollectionStatistics& collection =
            whole.texts().empty() ? whole.collection() : whole.texts().at(field_of_term(term));
        terms_.push_back(
            {make_term_scorer(scorer, collection, all.documents, all.occurrences, used.weight),
             terms.find(std::string(term))->second});
      });
}

float QueryScores::start_threshold(std::uint32_t k) const {
  float best = 0;
  if (!only_adds_) return best;
  for (const Term& term : terms_) {
    best = std::max(best, threshold_of(term.scorer, *term.counts, k));
  }
  return best;
}

float QueryScores::bound(std::uint32_t part) const {
  if (is_tree_) return std::numeric_limits<float>::infinity();
  float bound = 0;
  bool matches = false;
  for (const Term& term : terms_) {
    const TermFrequencies& here = (*term.counts)[part].frequencies;
    if (here.documents == 0) continue;
    matches = true;
    bound += largest_score(term.scorer, here.occurrences);
  }
  if (!matches) return -1;
  return (bound + whole_->parts()[part].largest_static_score) * kSumSlack;
}

}  // namespace warpdex::shards
