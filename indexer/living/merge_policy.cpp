// Chooses the smallest run of segments of like sizes.
#include "living/merge_policy.hpp"

#include <algorithm>

namespace warpdex {

std::optional<SegmentRange> choose_merge(std::span<const SegmentSize> segments) {
  std::optional<SegmentRange> best;
  std::uint64_t best_size = 0;
  const auto offer = [&](SegmentRange range, std::uint64_t size) {
    if (best && best_size <= size) return;
    best = range;
    best_size = size;
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (2 * segments[i].removed > segments[i].live) offer({i, 1}, segments[i].live);
  }
  for (std::size_t first = 0; first + kTier <= segments.size(); ++first) {
    std::uint64_t sum = 0;
    std::uint64_t largest = 0;
    for (const SegmentSize& segment : segments.subspan(first, kTier)) {
      sum += segment.live + 1;
      largest = std::max(largest, segment.live + 1);
    }
    if (2 * largest <= sum) offer({first, kTier}, sum);
  }
  return best;
}

}  // namespace warpdex
