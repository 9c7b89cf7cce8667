// What a batch is built over: an index, or the segments of a snapshot together. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/batch/query_entries.hpp"
#include "gpu/batch/segment_plans.hpp"
#include "gpu/layout/placed_index.hpp"

namespace warpdex::gpu {

/// In the order of their docIDs.
class PlacedSegments {
 public:
  /// Keeps references.
  explicit PlacedSegments(std::vector<const PlacedIndex*> segments);

  std::size_t size() const { return all_.size(); }
  const PlacedIndex& operator[](std::size_t i) const { return *all_[i]; }
  std::uint32_t longest_document() const { return longest_document_; }
  /// The largest static score; 0 if there are none.
  float largest_static() const { return largest_static_; }
  bool has_static() const { return has_static_; }

  /// The entries of a query in segment `i`.
  QueryEntries entries(const SegmentPlans& plans, std::size_t query, QueryMode mode,
                       std::size_t i) const {
    // Of several terms, a segment may know only one.
    const bool is_one_list = size() == 1 || plans[query].terms.size() == 1;
    return entries_of(plans.in(query, i), mode, knows_live_ && is_one_list);
  }

 private:
  std::vector<const PlacedIndex*> all_;
  std::uint32_t longest_document_ = 0;
  float largest_static_ = 0;
  bool has_static_ = false;
  /// Whether the size of a list less its removed postings is the number of its live documents.
  bool knows_live_ = true;
};

}  // namespace warpdex::gpu
