// Queries against codes by XOR and counts of bits: for few queries, ranges and large k.
#pragma once

#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "flat/gpu/match.hpp"
#include "flat/gpu/tile_order.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// The panels [first_panel, first_panel + panels) of the rows, in `order`, against all queries.
struct ScanBitsTask {
  DeviceBinaryCodes codes;
  DeviceQueryCodes queries;
  const std::uint64_t* filter;  ///< a bit for each row that is allowed; null: all are
  TileOrder order;
  std::uint32_t first_panel;
  std::uint32_t panels;
  bool overlaps = false;  ///< Launch::overlaps
};

/// Queues the scan; what is within a query's limit is added to its list, with its place in the
/// panels. `takes_all`: place p of the part becomes candidate p of each list, whose count is not
/// changed; its sum is infinite where there is no row, or none that is allowed.
void scan_to_lists(const ScanBitsTask& task, const CandidateLists& lists, const float* limits,
                   bool takes_all, const Stream& stream);

/// What a scan for one query collects, in any order.
struct CollectedRows {
  bool takes_all;  ///< else distances up to the limit
  float limit;
  float* values;
  std::uint32_t* ids;
  std::uint32_t* count;  ///< 0 at first
};

/// Queues the scan for a single query. There is room for all rows.
void scan_to_collect(const ScanBitsTask& task, const CollectedRows& collected,
                     const Stream& stream);

}  // namespace warpdex::vector
