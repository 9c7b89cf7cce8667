// OR by windows of docIDs: block-max MaxScore (Turtle and Flood; Chakrabarti et al.) with
// accumulators for the lists that a window cannot do without, and look-ups in the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "cpu/window_sums.hpp"
#include "warpdex/core/select/top_k.hpp"

namespace warpdex {

/// Answers one query after the other; all scratch memory is its own.
///
/// In a window, every list has a bound: the largest of its blocks there, or of its ranges of docIDs
/// where it is frequent. In the canonical order,
/// the lists of the tail whose bounds together (with the largest static score) cannot pass the
/// threshold are optional: they cannot make a document enter by themselves. The other lists'
/// postings are added up in accumulators, except in blocks whose bound together with the other
/// lists' is too small. What remains above the threshold less the optional lists' bounds are
/// candidates; each optional list in turn adds its scores to them and drops those that became
/// hopeless. Since lists are always added in the canonical order, scores are the canonical ones.
class OrSearch {
 public:
  explicit OrSearch(const Index& index);

  /// Feeds `top` with all documents that can be among its k best: `lists` are the scoring lists
  /// in canonical order with scorers set, `prohibited` exclude documents. All cursors
  /// are at their start. `is_exact`: no sum of scores is rounded. `top` may start with a threshold.
  void run(std::span<ListCursor* const> lists, std::span<ListCursor* const> prohibited,
           bool is_exact, TopK& top);

 private:
  struct Window {
    std::uint32_t begin;
    std::uint32_t end;
  };

  bool can_enter(float bound) const {
    return top_->full() ? bound > top_->threshold() : bound >= top_->threshold();
  }
  /// The least score that can still enter if `more` is yet to come.
  float need(float more) const;

  std::uint32_t next_window_begin(std::uint32_t from);
  float static_bound(const Window& window) const;
  float bound_of_list(ListCursor& list, const Window& window);
  void bound_lists(const Window& window);
  std::size_t count_essential() const;
  void search_window(const Window& window);
  void gather_candidates(const Window& window, std::size_t essential);
  void select_from_one(ListCursor& list, const Window& window, float others);
  void accumulate(ListCursor& list, const Window& window, float others);
  template <class Visit>
  void visit_postings(ListCursor& list, const Window& window, float others, Visit visit);
  void refine(ListCursor& list, const Window& window, float more_after);
  void refine_by_accumulators(ListCursor& list, const Window& window);
  void refine_by_look_up(ListCursor& list);
  void insert_candidates();

  const Kernels& kernels_;
  const std::uint32_t* lengths_;
  std::span<const float> static_scores_;
  std::span<const float> static_bounds_;
  std::uint32_t documents_;
  float sum_slack_ = 1;  ///< what sums of bounds are raised by, for their rounding

  std::span<ListCursor* const> lists_;
  std::span<ListCursor* const> prohibited_;
  TopK* top_ = nullptr;
  std::vector<float> window_bounds_;  ///< a list
  std::vector<float> tail_bounds_;    ///< a list: the sum of its and the later lists' bounds
  WindowSums sums_;
  bool is_clean_ = true;  ///< whether the last query left all sums untouched
  std::vector<std::uint32_t> candidate_documents_;
  std::vector<float> candidate_scores_;
  std::size_t candidates_ = 0;
};

}  // namespace warpdex
