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
  /// The tiles of one, and of all.
  std::uint32_t tiles(std::size_t i) const { return tiles_[i]; }
  std::uint32_t all_tiles() const { return all_tiles_; }
  std::uint32_t longest_document() const { return longest_document_; }
  /// The largest static score; 0 if there are none.
  float largest_static() const { return largest_static_; }
  bool has_static() const { return has_static_; }

  /// Whether the size of a list less its removed postings is the number of its live documents.
  bool knows_live() const { return knows_live_; }

 private:
  std::vector<const PlacedIndex*> all_;
  std::vector<std::uint32_t> tiles_;
  std::uint32_t all_tiles_ = 0;
  std::uint32_t longest_document_ = 0;
  float largest_static_ = 0;
  bool has_static_ = false;
  bool knows_live_ = true;
};

}  // namespace warpdex::gpu
