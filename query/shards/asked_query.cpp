#include "shards/asked_query.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "tree/expansion.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {

AskedQuery::AskedQuery(const Whole& whole, const Query& query, const SearchSettings& wanted,
                       QueryScores scores, std::optional<QueryScores> other_scores, bool has_filter)
    : whole_(&whole),
      query_(&query),
      wanted_(&wanted),
      scores_(std::move(scores)),
      other_scores_(std::move(other_scores)),
      has_filter_(has_filter),
      is_decided_(!query.or_else && (wanted.mode != QueryMode::kAndOr || query.tree)),
      next_(whole.parts().size()),
      is_missing_(whole.parts().size()) {
  // What was parsed for a mode says itself what must match.
  const bool is_or = wanted.mode == QueryMode::kOr || query.tree || query.or_else;
  begin(is_or ? QueryMode::kOr : QueryMode::kAnd);
}

void AskedQuery::begin(QueryMode mode) {
  mode_ = mode;
  counts_ = wanted_->count;
  const bool has_threshold = mode == QueryMode::kOr && is_decided_ && !has_filter_;
  threshold_ = has_threshold ? scores_.start_threshold(wanted_->k) : 0;
  merged_.clear();
  answers_.assign(whole_->parts().size(), PartAnswer{.matches_are_exact = true});
  asked_.assign(answers_.size(), 0);
  for (std::uint32_t part = 0; part < answers_.size(); ++part) {
    const bool has_documents = whole_->parts()[part].documents > 0;
    next_[part] =
        has_documents && !is_missing_[part] ? first_k(wanted_->k, whole_->share(part)) : 0;
  }
}

SearchSettings AskedQuery::settings(std::uint32_t part) const {
  SearchSettings settings;
  settings.mode = mode_;
  settings.k = next_[part];
  settings.count = counts_ && !(is_answered(part) && answers_[part].matches_are_exact);
  settings.scorer = wanted_->scorer;
  settings.known_threshold = threshold_;
  return settings;
}

void AskedQuery::take(std::uint32_t part, PartAnswer answer) {
  if (answer.hits.size() > next_[part]) {
    throw FormatError("it answers with more documents than it was asked for");
  }
  if (is_answered(part) && answers_[part].matches_are_exact) {
    answer.matches = answers_[part].matches;
    answer.matches_are_exact = true;
  }
  if (counts_ && !answer.matches_are_exact) throw FormatError("it does not count its matches");
  answers_[part] = std::move(answer);
  asked_[part] = next_[part];
}

void AskedQuery::go_on() {
  std::fill(next_.begin(), next_.end(), 0);
  std::uint64_t terms = 0;
  for (const PartAnswer& answer : answers_) terms += answer.most_terms;
  check_terms(terms);
  if (is_decided_ || decides_for_and()) find_gaps();
}

void check_terms(std::uint64_t terms) {
  if (terms <= kMaxExpandedTerms) return;
  throw UsageError("a prefix, pattern or range of the query stands for more than " +
                   std::to_string(kMaxExpandedTerms) +
                   " terms, counted part by part; ask for fewer");
}

/// and-or, after AND. False: parts are to be asked for their counts, or for OR.
bool AskedQuery::decides_for_and() {
  std::uint64_t matches = 0;
  for (const PartAnswer& answer : answers_) matches += answer.matches;
  if (matches >= wanted_->and_or_min_matches()) return is_decided_ = true;
  for (std::uint32_t part = 0; part < answers_.size(); ++part) {
    if (is_missing_[part] || answers_[part].matches_are_exact) continue;
    counts_ = true;
    next_[part] = asked_[part];
  }
  if (std::ranges::any_of(next_, [](std::uint32_t k) { return k > 0; })) return false;
  for (std::uint32_t part = 0; part < answers_.size(); ++part) {
    const bool is_known = is_answered(part) && answers_[part].matches_are_exact;
    if (is_missing_[part] && !is_known && scores_.bound(part) >= 0) is_sure_ = false;
  }
  is_decided_ = true;
  fell_back_ = true;
  if (query_->or_else) {
    query_ = query_->or_else.get();
    scores_ = std::move(*other_scores_);
  }
  begin(QueryMode::kOr);
  return false;
}

/// Merges, and asks those parts for k that may have left a document of the answer out.
void AskedQuery::find_gaps() {
  merged_ = merge_hits(answers_, wanted_->k);
  // Some of the documents that reach the threshold are in parts that do not answer.
  const bool is_too_high = threshold_ > 0 && merged_.size() < wanted_->k;
  for (std::uint32_t part = 0; part < answers_.size(); ++part) {
    if (is_missing_[part] || (asked_[part] >= wanted_->k && !is_too_high)) continue;
    if (may_lack(answers_[part], part, merged_, wanted_->k)) next_[part] = wanted_->k;
  }
  threshold_ = merged_.size() == wanted_->k ? merged_.back().score : 0;
}

std::vector<std::string> AskedQuery::names() {
  std::vector<std::string> names;
  std::vector<std::size_t> taken(answers_.size());
  for (const GlobalHit& hit : merged_) {
    std::vector<std::string>& of_part = answers_[hit.part].names;
    if (of_part.empty()) return {};  // they were not asked for
    names.push_back(std::move(of_part[taken[hit.part]++]));
  }
  return names;
}

MergedAnswer AskedQuery::finish(bool has_whole_statistics) {
  MergedAnswer answer{.hits = merged_, .names = names(), .fell_back_to_or = fell_back_};
  answer.is_complete = is_sure_ && has_whole_statistics;
  for (std::uint32_t part = 0; part < answers_.size(); ++part) {
    answer.matches += answers_[part].matches;
    if (!is_missing_[part]) continue;
    PartAnswer known = answers_[part];
    if (!is_answered(part)) known.left_out = scores_.bound(part);
    if (!has_whole_statistics) known.left_out = std::numeric_limits<float>::infinity();
    answer.max_missing_score = std::max(answer.max_missing_score, known.left_out);
    const bool may_stand = is_answered(part) || known.left_out < 0 || merged_.size() < wanted_->k
                               ? may_lack(known, part, merged_, wanted_->k)
                               : known.left_out >= merged_.back().score;
    answer.is_complete = answer.is_complete && !may_stand;
  }
  return answer;
}

}  // namespace warpdex::shards
