// Bounds of AND: which blocks of the leading list, and which of their documents, are competitive.
#include <algorithm>
#include <array>

#include "cpu/and_search.hpp"

namespace warpdex {

/// An upper bound of the scores of matches from the lead's current block on. Each has a posting in
/// the lead there; where another list has none, it adds nothing.
float AndSearch::bound_from(ListCursor& lead) {
  const std::uint32_t begin = std::min(lead.first_possible(lead.block()), document_count_ - 1);
  float bound = segment_->static_bound;
  for (const AndList& list : lists_) {
    list.cursor->skip_to_block(begin);
    if (!list.cursor->at_end()) bound += list.cursor->bound_between(begin, document_count_);
  }
  return bound * sum_slack_;
}

bool AndSearch::block_can_enter(ListCursor& lead, std::size_t lead_list) {
  if (!top_->full()) return true;
  if (others_bound_ == kNotComputed) {
    others_bound_ = segment_->static_bound;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      bounds_[i] = i == lead_list ? 0 : lists_[i].cursor->bound();
      others_bound_ += bounds_[i];
    }
  }
  const float bound = lead.block_bound(lead.block());
  if (!can_enter((bound + others_bound_) * sum_slack_)) return false;
  if (!pays_to_look_closer()) {
    bounds_here_ = bounds_;
    others_here_ = others_bound_;
    for (std::size_t i = 0; i < lists_.size(); ++i) is_needed_[i] = lists_[i].is_required;
    return true;
  }
  others_here_ = bound_of_others(lead, lead_list, bound);
  const bool enters = can_enter((bound + others_here_) * sum_slack_);
  if (!enters) ++passed_closely_;
  return enters;
}

/// Whether bounds in the range of a block have led past enough of the blocks so far.
bool AndSearch::pays_to_look_closer() {
  constexpr std::uint32_t kTries = 32;
  constexpr std::uint32_t kBlocksPerPassed = 8;
  ++looked_closely_;
  return looked_closely_ < kTries || passed_closely_ * kBlocksPerPassed >= looked_closely_;
}

/// What the other lists and a static score can add to a match of the lead's block. Where nothing
/// can enter without an optional list, it is needed.
float AndSearch::bound_of_others(const ListCursor& lead, std::size_t lead_list, float own) {
  const std::uint32_t begin = lead.first_possible(lead.block());
  // Of a damaged list it may lie behind the index.
  const std::uint32_t last = std::min(lead.last_docid(lead.block()), document_count_ - 1);
  float bound = segment_->static_bound;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    bounds_here_[i] = 0;
    if (i == lead_list) continue;
    ListCursor& other = *lists_[i].cursor;
    other.skip_to_block(begin);
    if (!other.at_end() && begin <= last) bounds_here_[i] = other.bound_between(begin, last + 1);
    bound += bounds_here_[i];
  }
  // The sum is raised before a bound is subtracted: its rounding is relative to the sum.
  const float all = (own + bound) * sum_slack_;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    is_needed_[i] = lists_[i].is_required || !can_enter(all - bounds_here_[i]);
    if (is_needed_[i] && !lists_[i].is_required) ++passed_closely_;
  }
  return bound;
}

/// Whether some of the lead's documents are likely to score too little for the other lists to lift
/// them into the answer, and enough of those did that were weighed so far.
bool AndSearch::pays_to_weigh(ListCursor& lead) {
  constexpr std::uint32_t kTries = 8 * kBlockSize;
  constexpr std::uint32_t kWeighedPerDropped = 8;
  constexpr float kLowShare = 0.3F;  // of its block's bound, what few documents score less than
  if (survivors_ * 2 < lead.count()) return false;  // a filter left few
  const float low = kLowShare * lead.block_bound(lead.block());
  if (can_enter((low + others_here_) * sum_slack_)) return false;
  if (weighed_ < kTries || dropped_ * kWeighedPerDropped >= weighed_) return true;
  weighed_ -= weighed_ / 16;  // so that it is tried again as the threshold rises
  return false;
}

/// Adds up what lists can add that are matched after each list.
void AndSearch::add_up_bounds() {
  float after = segment_->static_bound;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (!is_needed_[i]) after += bounds_here_[i];
  }
  for (std::size_t i = lists_.size(); i-- > 0;) {
    bounds_after_[i] = after;
    if (is_needed_[i]) after += bounds_here_[i];
  }
}

/// The lowest score that can still enter if `more` is yet to be added.
float AndSearch::need(float more) const {
  return (top_->threshold() - more * sum_slack_) * (2.0F - sum_slack_);
}

/// Takes the scores of all of the lead's documents, and drops those of too low ones.
void AndSearch::weigh(ListCursor& lead) {
  static constexpr auto kPlaces = [] {
    std::array<std::uint32_t, kBlockSize + kBlockPadding> places{};
    for (std::uint32_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }();
  const float* const scores = lead.scores(kernels_);
  const std::uint32_t before = survivors_;
  std::copy_n(scores, lead.count(), reached_);
  weighed_ += before;
  if (before < lead.count()) {
    survivors_ = keep_competitive(0, before, others_here_);
  } else {
    float kept_scores[kBlockSize + kBlockPadding];
    std::uint32_t kept[kBlockSize + kBlockPadding];
    survivors_ = static_cast<std::uint32_t>(kernels_.select_scores(
        kPlaces.data(), scores, before, need(others_here_), {kept, kept_scores}));
    for (std::uint32_t i = 0; i < survivors_; ++i) {
      slots_[i] = static_cast<std::uint8_t>(kept[i]);
      documents_[i] = documents_[kept[i]];
    }
    dropped_ += before - survivors_;
  }
  if (survivors_ < before / 2) ++passed_closely_;
}

/// Whether a list has so many documents that most scores would be needed anyway.
bool AndSearch::is_frequent(std::size_t list) const {
  constexpr std::uint64_t kDocumentsPerPosting = 8;
  return lists_[list].cursor->size() * kDocumentsPerPosting >= document_count_;
}

/// Scores survivors by the first lists, and drops those that the others cannot lift into the
/// answer.
void AndSearch::drop_beaten(std::size_t lists) {
  score_by(lists);
  for (std::uint32_t i = 0; i < survivors_; ++i) reached_[slots_[i]] = scores_[slots_[i]];
  survivors_ = keep_competitive(0, survivors_, bounds_after_[lists - 1]);
  weighs_ = true;
}

/// Of `count` survivors from `first` on, moves those to the front that what they reached and
/// `more` can lift into the answer. Returns how many.
std::uint32_t AndSearch::keep_competitive(std::uint32_t first, std::uint32_t count, float more) {
  const float lowest = need(more);
  std::uint32_t kept = first;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const std::uint8_t slot = slots_[i];
    documents_[kept] = documents_[i];
    slots_[kept] = slot;
    kept += reached_[slot] >= lowest ? 1 : 0;
  }
  dropped_ += first + count - kept;
  return kept - first;
}

}  // namespace warpdex
