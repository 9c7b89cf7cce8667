// Which neighbouring segments are worth being merged. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace warpdex {

/// What a merge of a segment costs, and what it saves.
struct SegmentSize {
  std::uint64_t live = 0;     ///< postings or rows that stay
  std::uint64_t removed = 0;  ///< and those that go
};

/// Neighbours.
struct SegmentRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Tiered merging, of neighbours only: kTier segments of which none holds more than half of what
/// all hold together, of all such runs the smallest one; or a segment of which more than a third
/// was removed. None if nothing needs to be merged. Repeated until then, at most about kTier *
/// log2(size) segments are left, and each document is written about log2(size) times. O(segments).
inline constexpr std::size_t kTier = 8;
std::optional<SegmentRange> choose_merge(std::span<const SegmentSize> segments);

}  // namespace warpdex
