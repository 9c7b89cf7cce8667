// The plans of a batch as one segment of a snapshot sees them, or as all of them do. Internal.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// A view: the plans outlive it. Copied around freely.
class SegmentPlans {
 public:
  SegmentPlans() = default;
  /// Of an index of one segment without deletions: the plans as they are.
  template <class Plans>
  requires std::is_convertible_v<const Plans&, std::span<const PlannedQuery>> SegmentPlans(
      const Plans& plans)
      : plans_(plans) {}
  /// Of a snapshot: the plans that the queries have for this segment.
  SegmentPlans(std::span<const PlannedQuery> plans, std::size_t segment)
      : plans_(plans), segment_(segment) {}

  /// Of a snapshot: the plans that the queries have for all of its segments.
  static SegmentPlans of_all(std::span<const PlannedQuery> plans) { return {plans, kAll}; }

  std::size_t size() const { return plans_.size(); }
  /// Of all segments: the plan of the whole, whose terms have no lists.
  const PlannedQuery& operator[](std::size_t query) const {
    return segment_ >= kAll ? plans_[query] : plans_[query].segments[segment_];
  }
  /// The plan for number `i` of the segments that are searched; 0 if it is one.
  const PlannedQuery& in(std::size_t query, std::size_t i) const {
    return segment_ == kAll ? plans_[query].segments[i] : (*this)[query];
  }
  bool are_of_all() const { return segment_ == kAll; }

 private:
  static constexpr std::size_t kWhole = ~std::size_t{0};
  static constexpr std::size_t kAll = kWhole - 1;

  std::span<const PlannedQuery> plans_;
  std::size_t segment_ = kWhole;
};

}  // namespace warpdex::gpu
