// Queries against the binary codes of the lists that they probe, by XOR and counts of bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "binary/gpu/lists/gpu_list_codes.hpp"
#include "flat/gpu/flat_data.hpp"
#include "lists/gpu/probe_groups.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct ScanListCodesTask {
  DeviceListCodes lists;
  DeviceQueries queries;   ///< padded; 1 to 65,535 of them
  DeviceQueryCodes codes;  ///< of the same queries; bases are not read
  DeviceProbes probed;
  const std::uint64_t* filter;  ///< a bit for each row number that is allowed; null: all are
  std::uint32_t* ends;          ///< scratch memory: of each query, one a probe
  float* bases;                 ///< likewise
  /// Of each query `stride` places: 32 for each group of its lists and, behind them and where there
  /// is no vector or none that is allowed, ids of kNoEntry with any value.
  float* values;
  std::uint32_t* ids;
  std::uint32_t stride;  ///< a multiple of 32; places of the groups of any query, at the least
};

/// Queues the computation. O(queries * stride * words of a code * bits of a query).
void scan_list_codes(const ScanListCodesTask& task, const Stream& stream);

}  // namespace warpdex::vector
