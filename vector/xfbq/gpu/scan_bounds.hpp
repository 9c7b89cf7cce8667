// Finds the rows that may be among the nearest of a query, by lower bounds of their distances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "xfbq/gpu/scan_bits.hpp"
#include "xfbq/xfbq_bound.hpp"

namespace warpdex::vector {

/// What bounds need of each row, in GPU memory.
struct DeviceBoundRows {
  const float* sizes = nullptr;  ///< QueryBound's
  const float* residuals = nullptr;
};

/// Rows with their lower bounds, as order_key()s.
struct BoundedRows {
  DeviceBoundRows rows;
  QueryBound bound;
  float limit;  ///< rows whose bounds are above it are left out
  std::uint64_t* keys;
  std::uint32_t* count;  ///< 0 at first
};

/// Queues the scan for a single query; keys come in any order. There is room for all rows.
void scan_to_bounds(const ScanBitsTask& task, const BoundedRows& bounded, const Stream& stream);

/// Bytes of scratch memory that sort_keys() needs.
std::size_t sort_keys_bytes(std::uint32_t count);
/// Queues the sorting of `count` keys into `sorted`.
void sort_keys(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* sorted, void* scratch,
               std::size_t scratch_bytes, const Stream& stream);

/// Queues the writing of a single list of the rows of keys: candidates[i] is that of keys[i];
/// `begins` get 0 and `count`, which is 1 or more.
void list_rows(const std::uint64_t* keys, std::uint32_t count, Candidate* candidates,
               std::uint64_t* begins, const Stream& stream);

}  // namespace warpdex::vector
