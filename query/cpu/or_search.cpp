// OR, window by window: bounds, candidates of the essential lists, lookups in the others.
#include "cpu/or_search.hpp"

#include <algorithm>
#include <limits>

namespace warpdex {
namespace {

/// Non-essential lists with fewer postings for each candidate are accumulated instead of looked up.
constexpr std::size_t kPostingsPerLookUp = 8;
/// Documents that pass a filter are looked up in essential lists of more postings for each of them.
constexpr std::size_t kPostingsPerPassing = 2;
/// DocIDs in the first window. Each window is twice as wide as the one before, up to kMaxWindow:
/// narrow ones raise the threshold early, wide ones cost less for each document.
constexpr std::uint32_t kFirstWindow = 4096;

}  // namespace

OrSearch::OrSearch()
    : kernels_(kernels()),
      candidate_documents_(kMaxWindow + kBlockPadding),
      candidate_scores_(kMaxWindow + kBlockPadding) {}

float OrSearch::run(const SearchedSegment& segment, std::span<ListCursor* const> lists,
                    std::span<ListCursor* const> prohibited, bool is_exact, TopK& top,
                    SearchWatch* watch) {
  const Index& index = *segment.index;
  segment_ = &segment;
  static_scores_ = index.sections().static_scores;
  static_bounds_ = index.sections().static_bounds;
  documents_ = static_cast<std::uint32_t>(index.counts().documents);
  if (!is_clean_) sums_.clear();
  is_clean_ = false;  // a damaged list may throw in the middle of a window
  lists_ = lists;
  prohibited_ = prohibited;
  top_ = &top;
  sum_slack_ = sum_slack(is_exact, lists.size());
  window_bounds_.resize(lists.size());
  tail_bounds_.resize(lists.size() + 1);
  std::uint32_t width = kFirstWindow;
  for (std::uint32_t end = 0; end < documents_;) {
    const std::uint32_t begin = next_window_begin(end);
    if (begin >= documents_) break;
    if (watch != nullptr && !watch->goes_on()) {
      is_clean_ = true;
      return bound_from(begin);
    }
    end = std::min(begin + width, documents_);
    search_window({begin, end});
    width = std::min(2 * width, kMaxWindow);
  }
  is_clean_ = true;
  return -1;
}

/// An upper bound of the scores of all documents from `begin` on.
float OrSearch::bound_from(std::uint32_t begin) {
  float bound = static_bound({begin, documents_});
  for (ListCursor* list : lists_) bound += bound_of_list(*list, {begin, documents_});
  return bound * sum_slack_;
}

std::uint32_t OrSearch::next_window_begin(std::uint32_t from) {
  std::uint32_t next = kNoDocument;
  for (ListCursor* list : lists_) next = std::min(next, list->next_document(kernels_, from));
  if (segment_->is_filtered) next = next_passing(segment_->removed, next, documents_);
  return next;
}

float OrSearch::static_bound(const Window& window) const {
  if (static_bounds_.empty()) return 0;
  const auto bounds = static_bounds_.begin();
  return *std::max_element(bounds + window.begin / kStaticWindow,
                           bounds + (window.end - 1) / kStaticWindow + 1);
}

float OrSearch::need(float more) const {
  return std::max(0.0F, (top_->threshold() - more * sum_slack_) * (2.0F - sum_slack_));
}

float OrSearch::bound_of_list(ListCursor& list, const Window& window) {
  if (list.next_document(kernels_, window.begin) >= window.end) return 0;
  // Above 0, which means that a list has no postings here: a match may score 0.
  return std::max(std::numeric_limits<float>::min(), list.bound_between(window.begin, window.end));
}

void OrSearch::bound_lists(const Window& window) {
  tail_bounds_[lists_.size()] = static_bound(window);
  for (std::size_t i = lists_.size(); i-- > 0;) {
    window_bounds_[i] = bound_of_list(*lists_[i], window);
    tail_bounds_[i] = tail_bounds_[i + 1] + window_bounds_[i];
  }
}

std::size_t OrSearch::count_essential() const {
  std::size_t essential = lists_.size();
  while (essential > 0 && !can_enter(tail_bounds_[essential - 1] * sum_slack_)) --essential;
  return essential;
}

void OrSearch::search_window(const Window& window) {
  bound_lists(window);
  const std::size_t essential = count_essential();
  if (essential == 0) return;
  candidates_ = 0;
  if (segment_->is_filtered && are_few(window, essential)) {
    gather_passing(window, essential);
  } else {
    gather_candidates(window, essential);
    if (segment_->is_filtered) drop_excluded();
  }
  for (std::size_t i = essential; i < lists_.size() && candidates_ > 0; ++i) {
    if (window_bounds_[i] > 0) refine(*lists_[i], window, tail_bounds_[i + 1]);
  }
  if (candidates_ > 0) insert_candidates();
}

/// Whether looking each document that passes the filter up is sooner done than reading the
/// essential lists. O(blocks of the window).
bool OrSearch::are_few(const Window& window, std::size_t essential) {
  const std::size_t passing = count_passing(kernels_, segment_->removed, window.begin, window.end);
  const std::size_t enough = passing * kPostingsPerPassing * essential;
  std::size_t postings = 0;
  for (std::size_t i = 0; i < essential; ++i) {
    if (window_bounds_[i] == 0) continue;
    const ListCursor& list = *lists_[i];
    for (std::uint32_t block = list.block();
         block < list.blocks() && list.first_possible(block) < window.end; ++block) {
      postings += list.block_count(block);
      if (postings > enough) return true;
    }
  }
  return false;
}

/// Candidates are documents that pass the filter and are in an essential list.
void OrSearch::gather_passing(const Window& window, std::size_t essential) {
  for (std::uint32_t next = next_passing(segment_->removed, window.begin, documents_);
       next < window.end; next = next_passing(segment_->removed, next + 1, documents_)) {
    candidate_documents_[candidates_] = next;
    candidate_scores_[candidates_++] = -1;  // in no list so far
  }
  for (std::size_t i = 0; i < essential; ++i) {
    if (window_bounds_[i] == 0) continue;
    ListCursor& list = *lists_[i];
    for (std::size_t j = 0; j < candidates_; ++j) {
      const std::uint32_t document = candidate_documents_[j];
      if (!list.contains(kernels_, document)) continue;
      float& score = candidate_scores_[j];
      score =
          std::max(0.0F, score) + list.scorer()(list.frequency_here(), list.lengths()[document]);
    }
  }
  select_candidates(need(tail_bounds_[essential]));
}

/// Drops candidates that do not pass the filter.
void OrSearch::drop_excluded() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates_; ++i) {
    if (segment_->removed.contains(candidate_documents_[i])) continue;
    candidate_documents_[kept] = candidate_documents_[i];
    candidate_scores_[kept++] = candidate_scores_[i];
  }
  candidates_ = kept;
}

void OrSearch::gather_candidates(const Window& window, std::size_t essential) {
  const auto is_active = [&](std::size_t i) { return window_bounds_[i] > 0; };
  std::size_t active = 0;
  std::size_t last_active = 0;
  for (std::size_t i = 0; i < essential; ++i) {
    if (is_active(i)) {
      ++active;
      last_active = i;
    }
  }
  const float total = tail_bounds_[0];
  // The sum is raised before the list's own bound is subtracted: its rounding is relative to the
  // sum.
  const auto others = [&](std::size_t i) { return total * sum_slack_ - window_bounds_[i]; };
  if (active == 1) {
    select_from_one(*lists_[last_active], window, tail_bounds_[essential]);
    return;
  }
  sums_.start(window.begin, window.end - window.begin);
  for (std::size_t i = 0; i < essential; ++i) {
    if (is_active(i)) accumulate(*lists_[i], window, others(i));
  }
  candidates_ = sums_.drain(need(tail_bounds_[essential]),
                            {candidate_documents_.data(), candidate_scores_.data()});
}

/// Calls visit(docids, scores, count) for the list's postings in the window, block by block, except
/// for blocks that are not competitive with `others`. Skipped blocks are not decoded, so their
/// order is checked here: otherwise a damaged list could visit a document twice.
template <class Visit>
void OrSearch::visit_postings(ListCursor& list, const Window& window, float others, Visit visit) {
  while (!list.at_end() && list.first_possible(list.block()) < window.end) {
    const bool ends_inside = list.last_docid(list.block()) < window.end;
    if (can_enter((list.block_bound(list.block()) + others) * sum_slack_)) {
      const std::uint32_t begin = list.seek(kernels_, window.begin);
      const std::uint32_t end = ends_inside ? list.count() : list.seek(kernels_, window.end);
      if (begin < end) {
        visit(list.docids() + begin, list.scores(kernels_) + begin, end - begin);
      }
    }
    if (!ends_inside) break;
    list.next_block();
    list.check_order();
  }
}

void OrSearch::select_from_one(ListCursor& list, const Window& window, float others) {
  const float min = need(others);
  visit_postings(list, window, others,
                 [&](const std::uint32_t* docids, const float* scores, std::uint32_t count) {
                   candidates_ += kernels_.select_scores(docids, scores, count, min,
                                                         {candidate_documents_.data() + candidates_,
                                                          candidate_scores_.data() + candidates_});
                 });
}

void OrSearch::accumulate(ListCursor& list, const Window& window, float others) {
  visit_postings(list, window, others,
                 [&](const std::uint32_t* docids, const float* scores, std::uint32_t count) {
                   sums_.add(docids, scores, count);
                 });
}

void OrSearch::refine(ListCursor& list, const Window& window, float more_after) {
  const std::size_t few = candidates_ * kPostingsPerLookUp;
  std::size_t postings = 0;
  for (std::uint32_t block = list.block();
       postings < few && block < list.blocks() && list.first_possible(block) < window.end;
       ++block) {
    postings += list.block_count(block);
  }
  if (postings < few) {
    refine_by_accumulators(list, window);
  } else {
    refine_by_look_up(list);
  }
  select_candidates(need(more_after));
}

/// Drops candidates that score less.
void OrSearch::select_candidates(float min) {
  const Candidates candidates{candidate_documents_.data(), candidate_scores_.data()};
  candidates_ =
      kernels_.select_scores(candidates.documents, candidates.scores, candidates_, min, candidates);
}

void OrSearch::refine_by_accumulators(ListCursor& list, const Window& window) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  sums_.start(window.begin, window.end - window.begin);
  accumulate(list, window, kInfinity);
  for (std::size_t i = 0; i < candidates_; ++i) {
    candidate_scores_[i] += sums_.at(candidate_documents_[i]);
  }
  sums_.drain(kInfinity, {candidate_documents_.data(), candidate_scores_.data()});
}

void OrSearch::refine_by_look_up(ListCursor& list) {
  const std::uint32_t* const lengths = list.lengths();
  for (std::size_t i = 0; i < candidates_; ++i) {
    const std::uint32_t document = candidate_documents_[i];
    if (list.contains(kernels_, document)) {
      candidate_scores_[i] += list.scorer()(list.frequency_here(), lengths[document]);
    }
  }
}

void OrSearch::insert_candidates() {
  const auto is_excluded = [&](std::uint32_t document) {
    return segment_->removed.contains(document) ||
           std::any_of(prohibited_.begin(), prohibited_.end(),
                       [&](ListCursor* list) { return list->contains(kernels_, document); });
  };
  for (std::size_t i = 0; i < candidates_; ++i) {
    const std::uint32_t document = candidate_documents_[i];
    float score = candidate_scores_[i];
    if (!static_scores_.empty()) score += static_scores_[document];
    if (can_enter(score) && !is_excluded(document))
      top_->insert(score, segment_->first_document + document);
  }
  top_->compact();
}

}  // namespace warpdex
