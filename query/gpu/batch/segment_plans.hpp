// The plans of a batch for one segment of a snapshot, or for all segments. Internal.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// A view, which is cheap to copy. The plans must outlive it.
class SegmentPlans {
 public:
  SegmentPlans() = default;
  /// For an index of one segment without deletions: the plans as they are.
  template <class Plans>
  requires std::is_convertible_v<const Plans&, std::span<const PlannedQuery>> SegmentPlans(
      const Plans& plans)
      : plans_(plans) {}
  /// For a snapshot: the queries' plans for this segment.
  SegmentPlans(std::span<const PlannedQuery> plans, std::size_t segment)
      : plans_(plans), segment_(segment) {}

  /// For a snapshot: the queries' plans for all of its segments, or for those of a part of it, the
  /// first of which is number `first`.
  static SegmentPlans of_all(std::span<const PlannedQuery> plans, std::size_t first = 0) {
    SegmentPlans all(plans, kAll);
    all.first_ = first;
    return all;
  }

  std::size_t size() const { return plans_.size(); }
  /// If for all segments: the plan of the whole, whose terms have no lists.
  const PlannedQuery& operator[](std::size_t query) const {
    return segment_ >= kAll ? plans_[query] : plans_[query].segments[segment_];
  }
  /// The plan for number `i` of the segments that are searched; `i` is 0 if there is only one.
  const PlannedQuery& in(std::size_t query, std::size_t i) const {
    return segment_ == kAll ? plans_[query].segments[first_ + i] : (*this)[query];
  }
  /// If for all: the plans for the `count` segments that are searched.
  std::span<const PlannedQuery> in_all(std::size_t query, std::size_t count) const {
    return std::span(plans_[query].segments).subspan(first_, count);
  }
  bool are_of_all() const { return segment_ == kAll; }
  /// The number in the snapshot of number `i` of the segments that are searched.
  std::size_t number(std::size_t i) const {
    if (segment_ == kAll) return first_ + i;
    return segment_ == kWhole ? 0 : segment_;
  }

 private:
  static constexpr std::size_t kWhole = ~std::size_t{0};
  static constexpr std::size_t kAll = kWhole - 1;

  std::span<const PlannedQuery> plans_;
  std::size_t segment_ = kWhole;
  std::size_t first_ = 0;  ///< if for all
};

}  // namespace warpdex::gpu
