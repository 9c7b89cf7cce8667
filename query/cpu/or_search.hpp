// OR by windows of docIDs: block-max MaxScore (Turtle and Flood; Chakrabarti et al.), with
// accumulators for the essential lists of a window and lookups in the non-essential ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "cpu/passing.hpp"
#include "cpu/searched_segment.hpp"
#include "cpu/window_sums.hpp"
#include "warpdex/core/select/top_k.hpp"
#include "warpdex/query/cpu/search_watch.hpp"

namespace warpdex {

/// Answers one query after the other; owns all scratch memory.
/// In a window, every list has an upper bound: the largest of its blocks there, or of its ranges of
/// docIDs if it is frequent. The last lists in the canonical order whose suffix upper bound (with
/// the largest static score) cannot exceed the threshold are non-essential there: a document that
/// only they have cannot enter. The postings of the essential lists are added to accumulators,
/// except for blocks that are not competitive together with the other lists' bounds. Documents
/// whose sum and suffix upper bound exceed the threshold are candidates. Each non-essential list in
/// turn adds its scores to them, and candidates that can no longer enter are dropped. Lists are
/// always added in the canonical order, so scores are the canonical ones.
class OrSearch {
 public:
  OrSearch();

  /// Feeds `top` with all documents that can be among its k best. `lists` are the scoring lists in
  /// canonical order with scorers set; documents of `prohibited` and removed ones are excluded.
  /// `is_exact`: no sum of scores is rounded. All cursors must be at their start. `top` may start
  /// with a threshold. `watch` (null: none) is asked before each window. Returns an upper bound of
  /// the scores of documents that were not looked at, since the watch stopped the search; negative
  /// if there are none.
  float run(const SearchedSegment& segment, std::span<ListCursor* const> lists,
            std::span<ListCursor* const> prohibited, bool is_exact, TopK& top, SearchWatch* watch);

 private:
  struct Window {
    std::uint32_t begin;
    std::uint32_t end;
  };

  bool can_enter(float bound) const {
    return top_->full() ? bound > top_->threshold() : bound >= top_->threshold();
  }
  /// The lowest score that can still enter if `more` is yet to be added.
  float need(float more) const;

  std::uint32_t next_window_begin(std::uint32_t from);
  float bound_from(std::uint32_t begin);
  float static_bound(const Window& window) const;
  float bound_of_list(ListCursor& list, const Window& window);
  void bound_lists(const Window& window);
  std::size_t count_essential() const;
  void search_window(const Window& window);
  void gather_candidates(const Window& window, std::size_t essential);
  bool are_few(const Window& window, std::size_t essential);
  void gather_passing(const Window& window, std::size_t essential);
  void drop_excluded();
  void select_from_one(ListCursor& list, const Window& window, float others);
  void accumulate(ListCursor& list, const Window& window, float others);
  template <class Visit>
  void visit_postings(ListCursor& list, const Window& window, float others, Visit visit);
  void refine(ListCursor& list, const Window& window, float more_after);
  void refine_by_accumulators(ListCursor& list, const Window& window);
  void refine_by_look_up(ListCursor& list);
  void select_candidates(float min);
  void insert_candidates();

  const Kernels& kernels_;
  const SearchedSegment* segment_ = nullptr;
  std::span<const float> static_scores_;
  std::span<const float> static_bounds_;
  std::uint32_t documents_ = 0;
  float sum_slack_ = 1;  ///< the factor of sums of bounds, for rounding

  std::span<ListCursor* const> lists_;
  std::span<ListCursor* const> prohibited_;
  TopK* top_ = nullptr;
  std::vector<float> window_bounds_;  ///< by list
  std::vector<float> tail_bounds_;    ///< by list: the sum of its bound and those of all later
                                      ///< lists
  WindowSums sums_;
  bool is_clean_ = true;  ///< the last query left all accumulators untouched
  std::vector<std::uint32_t> candidate_documents_;
  std::vector<float> candidate_scores_;
  std::size_t candidates_ = 0;
};

}  // namespace warpdex
