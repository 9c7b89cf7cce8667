// Canonical distances of queries and all vectors of the lists that they probe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "lists/gpu/probe_groups.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct ScanListsTask {
  DeviceRows rows;
  const std::uint32_t* row_numbers;  ///< of each vector; null: its position
  const std::uint32_t* begins;       ///< of each list among the vectors, and the end
  DeviceQueries queries;
  DeviceProbes probed;
  const std::uint32_t* which;  ///< of the queries; null: those from `first` on
  std::uint32_t first;
  std::uint32_t count;  ///< queries, from 1 to 65,535
  bool is_l2;
  const std::uint64_t* filter;  ///< a bit for each row number that is allowed; null: all are
  std::uint32_t* ends;          ///< scratch memory: count * probes
  /// Of each query `stride` places, one for each vector of its lists and, behind them, infinity
  /// with kNoEntry: no row. Rows that are not allowed are none either.
  float* values;
  std::uint32_t* ids;
  std::uint32_t stride;  ///< vectors of the lists of any query, at the least
};

/// Queues the computation. O(count * stride * dimension).
void scan_lists(const ScanListsTask& task, const Stream& stream);

}  // namespace warpdex::vector
