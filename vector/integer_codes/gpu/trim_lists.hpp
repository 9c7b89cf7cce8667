// Lists of candidates whose distances by codes are exact, cut down.
#pragma once

#include <cstdint>

#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct TrimTask {
  CandidateLists lists;  ///< sums are exact; a multiple of 512 places, up to kMaxListCapacity
  TileOrder order;
  const float* margins;    ///< of each query; null: no list is trimmed
  std::uint32_t* is_open;  ///< of each query; set where a list had too few places
  std::uint32_t query_count;
  bool overlaps = false;  ///< Launch::overlaps
};

/// Queues, for each query: the `nearest.k` nearest candidates become `nearest`, by distance, then
/// row; missing ones where there are fewer, or where the query is open. With margins, candidates
/// are taken off the list that are farther than the last of these by more than the margin, or as
/// far without a margin and not among them. k up to 2,048. O(candidates).
void trim_lists(const TrimTask& task, const DeviceAnswers& nearest, const Stream& stream);

}  // namespace warpdex::vector
