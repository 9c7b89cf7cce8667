// Gives the terms of a query their roles in a segment, and runs AND or OR.
#include "cpu/segment_search.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "cpu/union_count.hpp"

namespace warpdex {

bool SegmentSearch::open(const SearchedSegment& segment, const PlannedQuery& plan,
                         bool unsigned_is_required, const SearchSettings& settings) {
  segment_ = &segment;
  plan_ = &plan;
  scorer_ = settings.scorer;
  roles_ = assign_roles(plan, unsigned_is_required);
  if (roles_.counts.is_empty) return false;
  by_blocks_ = may_go_by_blocks() && BlockSearch::takes(roles_.scoring, settings.k);
  if (!by_blocks_) open_cursors();
  return true;
}

/// OR without what blocks do not know of.
bool SegmentSearch::may_go_by_blocks() const {
  return segment_->blocks != nullptr && !segment_->is_filtered && !roles_.counts.has_required &&
         roles_.prohibited.empty() && segment_->index->sections().static_scores.empty();
}

void SegmentSearch::open_cursors() {
  const Index& index = *segment_->index;
  const std::size_t needed = roles_.scoring.size() + roles_.prohibited.size();
  while (cursors_.size() < needed) cursors_.emplace_back();
  scoring_.clear();
  prohibited_.clear();
  std::size_t next = 0;
  for (const PlannedTerm* term : roles_.scoring) {
    scoring_.push_back(&cursors_[next++]);
    scoring_.back()->open(index, term->entry);
    scoring_.back()->set_scorer(index, scorer_, plan_->statistics_for(*term, index.counts()),
                                *term);
  }
  for (const PlannedTerm* term : roles_.prohibited) {
    prohibited_.push_back(&cursors_[next++]);
    prohibited_.back()->open(index, term->entry);
  }
}

float SegmentSearch::seed(std::uint32_t k) {
  if (by_blocks_) return 0;  // it begins with the best documents, which need no seed
  const bool only_adds = !roles_.counts.has_required && roles_.prohibited.empty();
  if (!only_adds && !roles_.counts.is_one_list()) return 0;
  float best = 0;
  for (std::size_t i = 0; i < scoring_.size(); ++i) {
    // Removed documents may be among the best: as many more bound k live ones.
    const std::uint32_t rank = k + roles_.scoring[i]->removed;
    best = std::max(best, scoring_[i]->seed(segment_->index->sections(), rank));
  }
  return best;
}

float SegmentSearch::bound(bool is_exact) {
  if (by_blocks_) return BlockSearch::bound(*segment_->blocks, roles_.scoring, is_exact);
  float bound = segment_->static_bound;
  for (ListCursor* list : scoring_) bound += list->bound();
  return bound * sum_slack(is_exact, scoring_.size());
}

/// The number of matches, where the size of a list tells it.
std::optional<std::uint64_t> SegmentSearch::known_matches() const {
  if (!segment_->removed.none() || !roles_.prohibited.empty()) return std::nullopt;
  if (roles_.counts.is_one_list()) return roles_.scoring[0]->entry.document_frequency;
  const auto required = std::ranges::find(roles_.is_required, true);
  if (required == roles_.is_required.end()) return std::nullopt;
  if (std::find(required + 1, roles_.is_required.end(), true) != roles_.is_required.end()) {
    return std::nullopt;
  }
  const auto place = static_cast<std::size_t>(required - roles_.is_required.begin());
  return roles_.scoring[place]->entry.document_frequency;
}

std::uint64_t SegmentSearch::run(std::uint64_t matches_wanted, const SearchSettings& settings,
                                 bool is_exact, SearchScratch& scratch, TopK& top) {
  scratch.max_unseen_score = -1;
  const std::optional<std::uint64_t> known = known_matches();
  std::uint64_t matches = 0;
  if (roles_.counts.is_one_list()) {  // OR passes over what cannot be in the answer
    matches = run_or(!known && matches_wanted > 0, is_exact, scratch, top);
  } else if (roles_.counts.has_required) {
    matches = run_and(known ? 0 : matches_wanted, is_exact, scratch, top);
  } else {
    matches = run_or(settings.count, is_exact, scratch, top);
  }
  return known.value_or(matches);
}

std::uint64_t SegmentSearch::run_and(std::uint64_t matches_wanted, bool is_exact,
                                     SearchScratch& scratch, TopK& top) {
  scratch.and_lists.clear();
  for (std::size_t i = 0; i < scoring_.size(); ++i) {
    scratch.and_lists.push_back({scoring_[i], roles_.is_required[i]});
  }
  const std::uint64_t matches = scratch.and_search.run(
      *segment_, scratch.and_lists, prohibited_, matches_wanted, is_exact, top, scratch.watch);
  scratch.max_unseen_score = scratch.and_search.max_unseen_score();
  return matches;
}

std::uint64_t SegmentSearch::run_or(bool counts, bool is_exact, SearchScratch& scratch, TopK& top) {
  std::uint64_t matches = 0;
  if (counts) {
    if (by_blocks_) open_cursors();
    matches = count_union(*segment_, scoring_, prohibited_, scratch.bitmap, scratch.watch);
    for (ListCursor* list : scoring_) list->rewind();
    for (ListCursor* list : prohibited_) list->rewind();
  }
  if (by_blocks_) {
    std::function<bool()> goes_on;
    if (scratch.watch != nullptr) goes_on = [&scratch] { return scratch.watch->goes_on(); };
    scratch.max_unseen_score =
        scratch.block_search.run({*segment_->blocks, segment_->removed, segment_->first_document},
                                 roles_.scoring, is_exact, top, goes_on);
  } else {
    scratch.max_unseen_score =
        scratch.or_search.run(*segment_, scoring_, prohibited_, is_exact, top, scratch.watch);
  }
  return matches;
}

}  // namespace warpdex
