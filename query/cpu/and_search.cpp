// AND, a block of the leading list at a time: intersect, exclude, score.
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
  bounds_.resize(lists.size());
  bounds_here_.resize(lists.size());
  bounds_after_.resize(lists.size());
  is_needed_.resize(lists.size());
  const auto lead_place = std::find_if(lists.begin(), lists.end(),
                                       [](const AndList& list) { return list.is_required; });
  const auto lead_list = static_cast<std::size_t>(lead_place - lists.begin());
  ListCursor& lead = *lead_place->cursor;
  lead_list_ = lead_list;
  others_bound_ = kNotComputed;
  looked_closely_ = 0;
  passed_closely_ = 0;
  weighed_ = 0;
  dropped_ = 0;
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

/// Whether the filter lets documents of the lead's block through.
bool AndSearch::passes_some(const ListCursor& lead) {
  const std::uint32_t first = lead.first_possible(lead.block());
  if (next_passing_ < first || first == 0) {
    next_passing_ = next_passing(segment_->removed, first, document_count_);
  }
  return next_passing_ <= lead.last_docid(lead.block());
}

void AndSearch::match_block(ListCursor& lead, std::size_t lead_list) {
  survivors_ = lead.count();
  std::copy_n(lead.docids(), survivors_, documents_);
  std::iota(slots_, slots_ + survivors_, std::uint8_t{0});
  scored_lists_ = 0;
  if (!segment_->removed.none()) drop_removed();
  const bool prunes = others_here_ != kNotComputed;
  if (prunes) add_up_bounds();
  weighs_ = prunes && pays_to_weigh(lead);
  if (weighs_) weigh(lead);
  const auto is_needed = [&](std::size_t i) {
    return prunes ? is_needed_[i] : lists_[i].is_required;
  };
  bool are_all_matched = lead_list == 0;  // the lists so far
  for (std::size_t i = 0; i < lists_.size() && survivors_ > 0; ++i) {
    are_all_matched = are_all_matched && is_needed(i);
    if (i == lead_list || !is_needed(i)) continue;
    if (prunes && are_all_matched && i > 1 && is_frequent(i)) drop_beaten(i);
    if (survivors_ > 0) keep_matches(i);
  }
  if (survivors_ > 0 && !prohibited_.empty()) drop_prohibited();
  const std::size_t but_last = lists_.size() - 1;
  if (prunes && are_all_matched && survivors_ > 0 && but_last > 0) drop_beaten(but_last);
  for (std::size_t i = 0; i < lists_.size() && survivors_ > 0; ++i) {
    if (!is_needed(i)) look_up_optional(i);
  }
}

void AndSearch::keep_matches(std::size_t list) {
  ListCursor& cursor = *lists_[list].cursor;
  constexpr std::uint32_t kFew = 4;
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
    std::uint32_t wanted = end - next;
    float bound = 0;
    if (weighs_ && wanted >= kFew) {
      bound = cursor.block_bound(cursor.block());
      wanted = keep_competitive(next, wanted, bound + bounds_after_[list]);
    } else if (weighs_) {
      bound = bounds_here_[list];
    }
    if (wanted > 0) {
      const std::size_t found =
          cursor.intersect_block(kernels_, documents_ + next, wanted, matched, positions);
      for (std::size_t j = 0; j < found; ++j) {
        const std::uint32_t survivor = next + matched[j];
        const std::uint8_t slot = slots_[survivor];
        places(list)[slot] = {cursor.block(), positions[j]};
        reached_[slot] += bound;
        documents_[kept] = documents_[survivor];
        slots_[kept++] = slot;
      }
    }
    next = end;
  }
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
  score_by(lists_.size());
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    float score = scores_[slots_[i]];
    if (!static_scores_.empty()) score += static_scores_[documents_[i]];
    if (can_enter(score)) top_->insert(score, segment_->first_document + documents_[i]);
  }
}

/// Adds the scores of the first lists, in order, that were not added before.
void AndSearch::score_by(std::size_t lists) {
  // The vector kernels read whole vectors of documents, which must exist.
  std::fill_n(documents_ + survivors_, kBlockPadding, documents_[survivors_ - 1]);
  if (scored_lists_ == 0) {
    const std::uint32_t lead_block = lists_[lead_list_].cursor->block();
    for (std::uint32_t i = 0; i < survivors_; ++i) {
      scores_[slots_[i]] = 0;
      places(lead_list_)[slots_[i]] = {lead_block, slots_[i]};
    }
  }
  for (; scored_lists_ < lists; ++scored_lists_) add_scores(scored_lists_);
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

void AndSearch::add_scores(std::size_t list) {
  const ListCursor& cursor = *lists_[list].cursor;
  std::uint32_t frequencies[kBlockSize + kBlockPadding] = {};
  float list_scores[kBlockSize + kBlockPadding];
  read_frequencies(list, frequencies);
  kernels_.of(cursor.scorer().kind)
      .score(cursor.scorer(), documents_, frequencies, cursor.lengths(), survivors_, list_scores);
  for (std::uint32_t i = 0; i < survivors_; ++i) {
    if (frequencies[i] > 0) scores_[slots_[i]] += list_scores[i];
  }
}

}  // namespace warpdex
