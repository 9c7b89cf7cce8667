// Gives the terms of a query their roles, and runs AND, OR or both.
#include "warpdex/query/cpu/cpu_searcher.hpp"

#include <deque>
#include <limits>

#include "cpu/and_search.hpp"
#include "cpu/or_search.hpp"
#include "cpu/union_count.hpp"
#include "plan/roles.hpp"
#include "plan/seed_threshold.hpp"

namespace warpdex {
struct CpuSearcher::State {
  explicit State(const Index& searched)
      : index(searched), or_search(searched), and_search(searched) {}

  void open_cursors(const Roles& roles);
  void set_scorers(const Roles& roles, const ScorerSettings& settings);
  float seed(std::uint32_t k) const;
  void run_and(const Roles& roles, const SearchSettings& settings, SearchResult& result);
  void run_or(const Roles& roles, const SearchSettings& settings, SearchResult& result);
  void search(const Roles& roles, const SearchSettings& settings, SearchResult& result);
  void note_stop(const SearchResult& result, std::uint32_t k);
  SearchResult run(const PlannedQuery& plan, bool unsigned_is_required,
                   const SearchSettings& settings);
  SearchResult run_modes(const PlannedQuery& plan, const SearchSettings& settings);
  void bound_fallback(const PlannedQuery& plan, const SearchSettings& settings);

  const Index& index;
  bool is_exact = false;         ///< of the query: no sum of its scores is rounded
  SearchWatch* watch = nullptr;  ///< of the query; may be null
  SearchProgress progress;       ///< of the query
  float max_unseen_score = -1;   ///< of documents that were not looked at; negative: all were
  OrSearch or_search;
  AndSearch and_search;
  TopK top;
  std::deque<ListCursor> cursors;  ///< never shrinks; a query takes the first ones
  std::vector<ListCursor*> scoring;
  std::vector<ListCursor*> prohibited;
  std::vector<AndList> and_lists;
  std::vector<std::uint64_t> bitmap;
  std::vector<TopK::Entry> entries;
};

CpuSearcher::CpuSearcher(const Index& index) : state_(std::make_unique<State>(index)) {}
CpuSearcher::~CpuSearcher() = default;
CpuSearcher::CpuSearcher(CpuSearcher&&) noexcept = default;
CpuSearcher& CpuSearcher::operator=(CpuSearcher&&) noexcept = default;

SearchResult CpuSearcher::search(const Query& query, const SearchSettings& settings) {
  return run(plan(query), settings);
}

PlannedQuery CpuSearcher::plan(const Query& query) const {
  return plan_query(state_->index, query);
}

SearchResult CpuSearcher::run(const PlannedQuery& plan, const SearchSettings& settings) {
  state_->watch = nullptr;
  return state_->run_modes(plan, settings);
}

SearchResult CpuSearcher::run(const PlannedQuery& plan, const SearchSettings& settings,
                              SearchWatch& watch, SearchProgress& progress) {
  state_->watch = &watch;
  SearchResult result = state_->run_modes(plan, settings);
  progress = state_->progress;
  return result;
}

SearchResult CpuSearcher::State::run_modes(const PlannedQuery& plan, const SearchSettings& wanted) {
  wanted.validate();
  progress = {};
  is_exact = sums_are_exact(index, plan);
  SearchSettings settings = wanted;
  settings.scorer = effective_scorer(index.settings(), wanted.scorer);
  if (settings.mode == QueryMode::kOr) return run(plan, false, settings);
  SearchResult result = run(plan, true, settings);
  if (settings.mode == QueryMode::kAndOr && result.matches < settings.and_or_min_matches()) {
    if (!progress.is_complete) {
      bound_fallback(plan, settings);
      return result;
    }
    result = run(plan, false, settings);
    result.fell_back_to_or = true;
  }
  return result;
}

/// AND was stopped before it was known whether the answer is OR's: a bound that holds for that too.
void CpuSearcher::State::bound_fallback(const PlannedQuery& plan, const SearchSettings& settings) {
  const Roles roles = assign_roles(plan, false);
  open_cursors(roles);
  set_scorers(roles, settings.scorer);
  float bound = 0;
  for (const float most : index.sections().static_bounds) bound = std::max(bound, most);
  for (ListCursor* list : scoring) bound += list->bound();
  progress.max_missing_score = bound * sum_slack(is_exact, scoring.size());
  progress.threshold = 0;
}

SearchResult CpuSearcher::State::run(const PlannedQuery& plan, bool unsigned_is_required,
                                     const SearchSettings& settings) {
  SearchResult result;
  const Roles roles = assign_roles(plan, unsigned_is_required);
  if (roles.counts.is_empty) return result;
  open_cursors(roles);
  set_scorers(roles, settings.scorer);
  const auto k =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(settings.k, index.counts().documents));
  const bool only_adds = !roles.counts.has_required && roles.prohibited.empty();
  const float seeded = only_adds || roles.counts.is_one_list() ? seed(k) : 0;
  top.reset(k, std::max(seeded, settings.start_threshold()));
  search(roles, settings, result);
  top.take(entries);
  result.hits.reserve(entries.size());
  for (const TopK::Entry& entry : entries) result.hits.push_back({entry.id, entry.score});
  if (!roles.counts.has_required && !settings.count) result.matches = result.hits.size();
  if (max_unseen_score >= 0) note_stop(result, k);
  return result;
}

/// Feeds `top`.
void CpuSearcher::State::search(const Roles& roles, const SearchSettings& settings,
                                SearchResult& result) {
  max_unseen_score = -1;
  if (roles.counts.is_one_list()) {  // OR skips what cannot be in the answer
    SearchSettings best_only = settings;
    best_only.count = false;
    run_or(roles, best_only, result);
    result.matches = roles.scoring[0]->entry.document_frequency;
  } else if (roles.counts.has_required) {
    run_and(roles, settings, result);
  } else {
    run_or(roles, settings, result);
  }
}

/// The search was stopped. A document that is missing was not looked at, or it scores no more than
/// the last one of k, or less than the threshold.
void CpuSearcher::State::note_stop(const SearchResult& result, std::uint32_t k) {
  const float last = result.hits.size() == k ? result.hits.back().score : 0;
  progress.is_complete = false;
  progress.threshold = std::max(top.threshold(), last);
  progress.max_missing_score = std::max(progress.threshold, max_unseen_score);
}

void CpuSearcher::State::open_cursors(const Roles& roles) {
  const std::size_t needed = roles.scoring.size() + roles.prohibited.size();
  while (cursors.size() < needed) cursors.emplace_back();
  scoring.clear();
  prohibited.clear();
  std::size_t next = 0;
  for (const PlannedTerm* term : roles.scoring) {
    scoring.push_back(&cursors[next++]);
    scoring.back()->open(index, term->entry);
  }
  for (const PlannedTerm* term : roles.prohibited) {
    prohibited.push_back(&cursors[next++]);
    prohibited.back()->open(index, term->entry);
  }
}

void CpuSearcher::State::set_scorers(const Roles& roles, const ScorerSettings& settings) {
  for (std::size_t i = 0; i < scoring.size(); ++i) {
    scoring[i]->set_scorer(index, settings, roles.scoring[i]->weight);
  }
}

float CpuSearcher::State::seed(std::uint32_t k) const {
  float best = 0;
  for (ListCursor* list : scoring) best = std::max(best, list->seed(index.sections(), k));
  return best;
}

void CpuSearcher::State::run_and(const Roles& roles, const SearchSettings& settings,
                                 SearchResult& result) {
  and_lists.clear();
  for (std::size_t i = 0; i < scoring.size(); ++i) {
    and_lists.push_back({scoring[i], roles.is_required[i]});
  }
  const std::uint64_t wanted = settings.count ? std::numeric_limits<std::uint64_t>::max()
                               : settings.mode == QueryMode::kAndOr
                                   ? std::uint64_t{settings.and_or_min_matches()}
                                   : 0;
  result.matches = and_search.run(and_lists, prohibited, wanted, is_exact, top, watch);
  max_unseen_score = and_search.max_unseen_score();
}

void CpuSearcher::State::run_or(const Roles& roles, const SearchSettings& settings,
                                SearchResult& result) {
  if (settings.count) {
    result.matches = count_union(
        scoring, prohibited, static_cast<std::uint32_t>(index.counts().documents), bitmap, watch);
    open_cursors(roles);  // from the start again
    set_scorers(roles, settings.scorer);
  }
  max_unseen_score = or_search.run(scoring, prohibited, is_exact, top, watch);
}

}  // namespace warpdex
