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
  SearchResult run(const PlannedQuery& plan, bool unsigned_is_required,
                   const SearchSettings& settings);

  const Index& index;
  bool is_exact = false;  ///< of the query: no sum of its scores is rounded
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

SearchResult CpuSearcher::run(const PlannedQuery& plan, const SearchSettings& wanted) {
  wanted.validate();
  state_->is_exact = sums_are_exact(state_->index, plan);
  SearchSettings settings = wanted;
  settings.scorer = effective_scorer(state_->index.settings(), wanted.scorer);
  if (settings.mode == QueryMode::kOr) return state_->run(plan, false, settings);
  SearchResult result = state_->run(plan, true, settings);
  if (settings.mode == QueryMode::kAndOr && result.matches < settings.and_or_min_matches()) {
    result = state_->run(plan, false, settings);
    result.fell_back_to_or = true;
  }
  return result;
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
  top.reset(k, only_adds || roles.counts.is_one_list() ? seed(k) : 0);
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
  top.take(entries);
  result.hits.reserve(entries.size());
  for (const TopK::Entry& entry : entries) result.hits.push_back({entry.id, entry.score});
  if (!roles.counts.has_required && !settings.count) result.matches = result.hits.size();
  return result;
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
  result.matches = and_search.run(and_lists, prohibited, wanted, is_exact, top);
}

void CpuSearcher::State::run_or(const Roles& roles, const SearchSettings& settings,
                                SearchResult& result) {
  if (settings.count) {
    result.matches = count_union(scoring, prohibited,
                                 static_cast<std::uint32_t>(index.counts().documents), bitmap);
    open_cursors(roles);  // from the start again
    set_scorers(roles, settings.scorer);
  }
  or_search.run(scoring, prohibited, is_exact, top);
}

}  // namespace warpdex
