// Adds up what is known of segments.
#include "gpu/batch/placed_segments.hpp"

#include <algorithm>
#include <utility>

namespace warpdex::gpu {

PlacedSegments::PlacedSegments(std::vector<const PlacedIndex*> segments)
    : all_(std::move(segments)) {
  for (const PlacedIndex* segment : all_) {
    longest_document_ = std::max(longest_document_, segment->longest_document);
    largest_static_ = std::max(largest_static_, segment->largest_static);
    has_static_ |= !segment->index.sections().static_scores.empty();
    knows_live_ &= segment->removals.bits == nullptr || segment->index.settings().has_forward;
  }
}

QueryEntries PlacedSegments::entries(const SegmentPlans& plans, std::size_t query, QueryMode mode,
                                     std::size_t i) const {
  // Of several terms, a segment may know only one.
  const bool is_one_list = size() == 1 || plans[query].terms.size() == 1;
  return entries_of(plans.in(query, i), mode, knows_live_ && is_one_list);
}

}  // namespace warpdex::gpu
