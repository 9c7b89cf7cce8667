// What a batch is built over: an index, or the segments of a snapshot together. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/layout/placed_index.hpp"

namespace warpdex::gpu {

/// In the order of their docIDs.
class PlacedSegments {
 public:
  /// Keeps references.
  explicit PlacedSegments(std::vector<const PlacedIndex*> segments);

  std::size_t size() const { return all_.size(); }
  const PlacedIndex& operator[](std::size_t i) const { return *all_[i]; }
  const std::vector<SegmentTables>& tables() const { return tables_; }
  /// The tiles of segments [begin, end), and the entries of a list in each of them.
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

  /// Whether the size of a list less its removed postings is the number of its live documents.
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
