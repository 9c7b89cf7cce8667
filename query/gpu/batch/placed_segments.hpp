// The segments that a batch is built over: those of a snapshot together, or a single index.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/layout/placed_index.hpp"

namespace warpdex::gpu {

/// Segments in the order of their docIDs.
class PlacedSegments {
 public:
  /// Keeps references.
  explicit PlacedSegments(std::vector<const PlacedIndex*> segments);

  std::size_t size() const { return all_.size(); }
  const PlacedIndex& operator[](std::size_t i) const { return *all_[i]; }
  const std::vector<SegmentTables>& tables() const { return tables_; }
  /// The number of tiles of segments [begin, end), and the number of entries of a list, in the
  /// tables by list and tile, over these segments.
  std::uint32_t tiles(std::uint32_t begin, std::uint32_t end) const {
    return (end == size() ? all_tiles_ : tables_[end].tiles_before) - tables_[begin].tiles_before;
  }
  std::uint32_t row_entries(std::uint32_t begin, std::uint32_t end) const {
    return (end == size() ? all_row_entries_ : tables_[end].row_entries_before) -
           tables_[begin].row_entries_before;
  }
  std::uint32_t longest_document() const { return longest_document_; }
  /// The largest static score; 0 if there are none.
  float largest_static() const { return largest_static_; }
  bool has_static() const { return has_static_; }

  /// Whether a list's number of live documents is known: its size less its removed postings.
  bool knows_live() const { return knows_live_; }

 private:
  std::vector<const PlacedIndex*> all_;
  std::vector<SegmentTables> tables_;
  std::uint32_t all_tiles_ = 0;
  std::uint32_t all_row_entries_ = 0;
  std::uint32_t longest_document_ = 0;
  float largest_static_ = 0;
  bool has_static_ = false;
  bool knows_live_ = true;
};

}  // namespace warpdex::gpu
