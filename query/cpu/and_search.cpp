// AND, a block of the leading list at a time: intersect, exclude, bound, score.
#include "cpu/and_search.hpp"

#include <algorithm>
#include <numeric>

namespace warpdex {

namespace {

/// Blocks of the leading list between two looks at the watch: a few microseconds of work.
constexpr std::uint32_t kBlocksPerLook = 16;

/// If this many frequencies of a block are wanted, all are decoded. Decoding pays early if finding
/// a single one takes a search.
std::uint32_t many_frequencies(CodecKind codec) {
  switch (codec) {
    case CodecKind::kPfor: return 3;
    case CodecKind::kRice: return 6;
    default: return 12;
  }
}

}  // namespace

AndSearch::AndSearch() : kernels_(kernels()) {}

std::uint64_t AndSearch::run(const SearchedSegment& segment, std::span<const AndList> lists,
                             std::span<ListCursor* const> prohibited, std::uint64_t matches_wanted,
                             bool is_exact, TopK& top, SearchWatch* watch) {
  const Index& index = *segment.index;
  segment_ = &segment;
  document_count_ = static_cast<std::uint32_t>(index.counts().documents);
  static_scores_ = index.sections().static_scores;
  many_frequencies_ = many_frequencies(index.settings().codec.kind);
  lists_ = lists;
  sum_slack_ = sum_slack(is_exact, lists.size());
  prohibited_ = prohibited;
  top_ = &top;
  places_.resize(lists.size() * kBlockSize);
  bounds_here_.resize(lists.size());
  is_needed_.resize(lists.size());
  const auto lead_place = std::find_if(lists.begin(), lists.end(),
                                       [](const AndList& list) { return list.is_required; });
  const auto lead_list = static_cast<std::size_t>(lead_place - lists.begin());
  ListCursor& lead = *lead_place->cursor;
  others_bound_ = kNotComputed;
  looked_closely_ = 0;
  passed_closely_ = 0;
  const auto is_exhausted = [](const AndList& list) {
    return list.is_required && list.cursor->at_end();
  };
  max_unseen_score_ = -1;
  next_passing_ = 0;
  std::uint64_t matches = 0;
  for (; std::none_of(lists.begin(), lists.end(), is_exhausted); lead.next_block()) {
    if (watch != nullptr && lead.block() % kBlocksPerLook == 0 && !watch->goes_on()) {
      max_unseen_score_ = bound_from(lead);
      break;
    }
    if (segment.is_filtered && !passes_some(lead)) continue;
    others_here_ = kNotComputed;
    if (matches >= matches_wanted && !block_can_enter(lead, lead_list)) continue;
    match_block(lead, lead_list);
    matches += survivors_;
    if (survivors_ > 0) score_survivors();
  }
  return matches;
}

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

/// Whether the filter lets documents of the lead's block through.
bool AndSearch::passes_some(const ListCursor& lead) {
  const std::uint32_t first = lead.first_possible(lead.block());
  if (next_passing_ < first || first == 0) {
    next_passing_ = next_passing(segment_->removed, first, document_count_);
  }
  return next_passing_ <= lead.last_docid(lead.block());
}

bool AndSearch::block_can_enter(ListCursor& lead, std::size_t lead_list) {
  if (!top_->full()) return true;
  if (others_bound_ == kNotComputed) {
    others_bound_ = segment_->static_bound;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      if (i != lead_list) others_bound_ += lists_[i].cursor->bound();
    }
  }
  const float bound = lead.block_bound(lead.block());
  if (!can_enter((bound + others_bound_) * sum_slack_)) return false;
  if (!pays_to_look_closer()) return true;
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

void AndSearch::match_block(ListCursor& lead, std::size_t lead_list) {
  survivors_ = lead.count();
  std::copy_n(lead.docids(), survivors_, documents_);
  std::iota(slots_, slots_ + survivors_, std::uint8_t{0});
  for (std::uint32_t i = 0; i < survivors_; ++i) places(lead_list)[i] = {lead.block(), i};
  if (others_here_ != kNotComputed) drop_hopeless(lead);
  if (!segment_->removed.none()) drop_removed();
  const bool prunes = others_here_ != kNotComputed;
  const auto is_needed = [&](std::size_t i) {
    return prunes ? is_needed_[i] : lists_[i].is_required;
  };
  for (std::size_t i = 0; i < lists_.size() && survivors_ > 0; ++i) {
    if (i != lead_list && is_needed(i)) keep_matches(i);
  }
  if (survivors_ > 0 && !prohibited_.empty()) drop_prohibited();
  for (std::size_t i = 0; i < lists_.size() && survivors_ > 0; ++i) {
    if (!is_needed(i)) look_up_optional(i);
  }
}

void AndSearch::keep_matches(std::size_t list) {
  ListCursor& cursor = *lists_[list].cursor;
  std::uint8_t matched[kBlockSize];
  std::uint8_t positions[kBlockSize];
  std::uint32_t kept = 0;
  for (std::uint32_t next = 0; next < survivors_;) {
    cursor.skip_to_block(documents_[next]);
    if (cursor.at_end()) break;
    const std::uint32_t first = cursor.first_possible(cursor.block());
    const std::uint32_t last = cursor.last_docid(cursor.block());
    while (next < survivors_ && documents_[next] < first) ++next;
    std::uint32_t end = next;
    while (end < survivors_ && documents_[end] <= last) ++end;
    if (end == next) continue;
    const std::size_t found =
        cursor.intersect_block(kernels_, documents_ + next, end - next, matched, positions);
    for (std::size_t j = 0; j < found; ++j) {
      const std::uint32_t survivor = next + matched[j];
      places(list)[slots_[survivor]] = {cursor.block(), positions[j]};
      documents_[kept] = documents_[survivor];
      slots_[kept++] = slots_[survivor];
    }
    next = end;
  }
  survivors_ = kept;
}

/// Drops documents that the other lists cannot lift into the answer, if these may be many.
void AndSearch::drop_hopeless(ListCursor& lead) {
  const float bound = lead.block_bound(lead.block());
  if (can_enter((bound / 2 + others_here_) * sum_slack_)) return;
  const float* const scores = lead.scores(kernels_);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    if (!can_enter((scores[i] + others_here_) * sum_slack_)) continue;
    documents_[kept] = documents_[i];
    slots_[kept++] = slots_[i];
  }
  if (kept < survivors_ / 2) ++passed_closely_;
  survivors_ = kept;
}

void AndSearch::drop_removed() {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    if (segment_->removed.contains(documents_[i])) continue;
    documents_[kept] = documents_[i];
    slots_[kept++] = slots_[i];
  }
  survivors_ = kept;
}

void AndSearch::drop_prohibited() {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    if (std::any_of(prohibited_.begin(), prohibited_.end(), [&](ListCursor* cursor) {
          return cursor->contains(kernels_, documents_[i]);
        })) {
      continue;
    }
    documents_[kept] = documents_[i];
    slots_[kept++] = slots_[i];
  }
  survivors_ = kept;
}

void AndSearch::look_up_optional(std::size_t list) {
  ListCursor& cursor = *lists_[list].cursor;
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    const bool is_there = cursor.contains(kernels_, documents_[i]);
    places(list)[slots_[i]] =
        is_there ? Place{cursor.block(), cursor.position()} : Place{kAbsent, 0};
  }
}

void AndSearch::score_survivors() {
  // The vector kernels read whole vectors of documents, which must exist.
  std::fill_n(documents_ + survivors_, kBlockPadding, documents_[survivors_ - 1]);
  float scores[kBlockSize] = {};
  for (std::size_t list = 0; list < lists_.size(); ++list) add_scores(list, scores);
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    if (!static_scores_.empty()) scores[i] += static_scores_[documents_[i]];
    if (can_enter(scores[i])) top_->insert(scores[i], segment_->first_document + documents_[i]);
  }
}

void AndSearch::read_frequencies(std::size_t list, std::uint32_t* frequencies) const {
  const ListCursor& cursor = *lists_[list].cursor;
  const auto place = [&](std::uint32_t i) { return places_[list * kBlockSize + slots_[i]]; };
  for (std::uint32_t begin = 0; begin < survivors_;) {
    const std::uint32_t block = place(begin).block;
    std::uint32_t end = begin + 1;
    while (end < survivors_ && place(end).block == block) ++end;
    if (block == kAbsent) {
      std::fill(frequencies + begin, frequencies + end, 0U);
    } else if (end - begin >= many_frequencies_) {
      std::uint32_t whole_block[kBlockSize];
      cursor.read_frequencies(block, whole_block);
      for (std::uint32_t i = begin; i < end; ++i) frequencies[i] = whole_block[place(i).position];
    } else {
      for (std::uint32_t i = begin; i < end; ++i) {
        frequencies[i] = cursor.frequency_at(block, place(i).position);
      }
    }
    begin = end;
  }
}

void AndSearch::add_scores(std::size_t list, float* scores) {
  const ListCursor& cursor = *lists_[list].cursor;
  std::uint32_t frequencies[kBlockSize + kBlockPadding] = {};
  float list_scores[kBlockSize + kBlockPadding];
  read_frequencies(list, frequencies);
  kernels_.of(cursor.scorer().kind)
      .score(cursor.scorer(), documents_, frequencies, cursor.lengths(), survivors_, list_scores);
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    if (frequencies[i] > 0) scores[i] += list_scores[i];
  }
}

}  // namespace warpdex
