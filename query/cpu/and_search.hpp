// AND: the rarest list leads; the others skip to its documents by their block metadata.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "cpu/passing.hpp"
#include "cpu/searched_segment.hpp"
#include "warpdex/core/select/top_k.hpp"
#include "warpdex/query/cpu/search_watch.hpp"

namespace warpdex {

/// A list and its role in an AND.
struct AndList {
  ListCursor* cursor;
  bool is_required;  ///< else it only adds to the score
};

/// Answers one query after the other; owns all scratch memory. Takes one block of the leading list
/// at a time: each further required list drops documents, then each prohibited list. The documents
/// that are left are scored in the canonical order from single frequencies. Once there are k, also
/// those are dropped that the lists to come cannot lift into the answer: by the lead's score and
/// the bounds of blocks, or by the scores of the lists so far, before a frequent list is looked
/// into and before the last one's frequencies are read.
class AndSearch {
 public:
  AndSearch();

  /// Feeds `top` with the matches that can be among its k best, and returns how many matches it
  /// saw. Once it saw `matches_wanted`, it skips blocks of the leading list that are not
  /// competitive by their bounds, and documents that are not by their score there. `lists` are the
  /// scoring lists in canonical order with scorers set, at least one of them required. `is_exact`:
  /// no sum of scores is rounded. All cursors must be at their start. Removed documents do not
  /// match. `watch` (null: none) is asked now and then; if it stops the search, max_unseen_score()
  /// bounds the documents that were not looked at.
  std::uint64_t run(const SearchedSegment& segment, std::span<const AndList> lists,
                    std::span<ListCursor* const> prohibited, std::uint64_t matches_wanted,
                    bool is_exact, TopK& top, SearchWatch* watch);
  /// An upper bound of the scores of documents that the last run did not look at since it was
  /// stopped; negative if there are none.
  float max_unseen_score() const { return max_unseen_score_; }

 private:
  /// Where a list holds a document: kAbsent, or its block and position.
  struct Place {
    std::uint32_t block;
    std::uint32_t position;
  };
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  static constexpr float kNotComputed = -1;

  bool can_enter(float bound) const { return !top_->full() || bound > top_->threshold(); }
  /// Whether the lead's current block is competitive. Bounds are computed when first needed.
  bool block_can_enter(ListCursor& lead, std::size_t lead_list);
  bool pays_to_look_closer();
  float bound_of_others(const ListCursor& lead, std::size_t lead_list, float own);
  void match_block(ListCursor& lead, std::size_t lead_list);
  void keep_matches(std::size_t list);
  bool passes_some(const ListCursor& lead);
  bool pays_to_weigh(ListCursor& lead);
  float need(float more) const;
  void add_up_bounds();
  void weigh(ListCursor& lead);
  bool is_frequent(std::size_t list) const;
  void drop_beaten(std::size_t lists);
  std::uint32_t keep_competitive(std::uint32_t first, std::uint32_t count, float more);
  void drop_removed();
  void drop_prohibited();
  void look_up_optional(std::size_t list);
  void score_survivors();
  void read_frequencies(std::size_t list, std::uint32_t* frequencies) const;
  void score_by(std::size_t lists);
  void add_scores(std::size_t list);
  float bound_from(ListCursor& lead);
  Place* places(std::size_t list) { return places_.data() + list * kBlockSize; }

  const Kernels& kernels_;
  const SearchedSegment* segment_ = nullptr;
  std::uint32_t next_passing_ = 0;  ///< of a filter: no document before it and behind the last
                                    ///< block passes
  std::uint32_t document_count_ = 0;
  std::span<const float> static_scores_;
  float sum_slack_ = 1;  ///< the factor of sums of bounds, for rounding
  std::uint32_t many_frequencies_ = 0;

  std::span<const AndList> lists_;
  std::span<ListCursor* const> prohibited_;
  std::size_t lead_list_ = 0;
  TopK* top_ = nullptr;
  float max_unseen_score_ = -1;
  float others_bound_ = kNotComputed;  ///< of all lists but the leading one, together
  std::uint32_t looked_closely_ = 0;   ///< blocks
  std::uint32_t passed_closely_ = 0;   ///< of them, those of which that dropped something
  std::vector<float> bounds_;          ///< by list but the leading one; with others_bound_
  std::uint32_t weighed_ = 0;          ///< documents; fewer as time goes by
  std::uint32_t dropped_ = 0;          ///< documents that could no longer enter
  // In the range of the lead's block:
  float others_here_ = kNotComputed;  ///< the same there
  std::vector<float> bounds_here_;    ///< by list but the leading one
  std::vector<bool> is_needed_;       ///< by list: what can enter has it; set with others_here_
  std::vector<float> bounds_after_;   ///< by list: of those that are matched after it, together
  bool weighs_ = false;               ///< whether survivors are dropped by what they can score
  float reached_[kBlockSize] = {};    ///< by slot: a bound of the score by the lists so far
  float scores_[kBlockSize] = {};     ///< by slot: the score by the lists that were added
  std::size_t scored_lists_ = 0;      ///< those are so many, in order
  std::uint32_t survivors_ = 0;
  std::uint32_t documents_[kBlockSize + kBlockPadding];  ///< documents that are left
  std::uint8_t slots_[kBlockSize];                       ///< their positions in the lead's block
  std::vector<Place> places_;                            ///< kBlockSize for each list, by slot
};

}  // namespace warpdex
