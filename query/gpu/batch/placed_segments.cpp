// Adds up what is known of segments.
#include "gpu/batch/placed_segments.hpp"

#include <algorithm>
#include <utility>

namespace warpdex::gpu {

PlacedSegments::PlacedSegments(std::vector<const PlacedIndex*> segments)
    : all_(std::move(segments)) {
  for (const PlacedIndex* segment : all_) {
    const std::uint32_t tiles = segment->tiles();
    tables_.push_back(
        {segment->tables, tiles, all_tiles_, tile_row_entries(tiles), all_row_entries_});
    all_tiles_ += tiles;
    all_row_entries_ += tile_row_entries(tiles);
    longest_document_ = std::max(longest_document_, segment->longest_document);
    largest_static_ = std::max(largest_static_, segment->largest_static);
    has_static_ |= !segment->index.sections().static_scores.empty();
    knows_live_ &= segment->removals.bits == nullptr || segment->index.settings().has_forward;
  }
}

}  // namespace warpdex::gpu
