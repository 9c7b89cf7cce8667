// The sizes that selection is compiled for and where one method gives way to the next: the only
// place that lists them.
#pragma once

#include <cstddef>
#include <utility>

namespace warpdex {

/// The lengths of a warp's queue that select_k() has kernels for. For a larger k, a block takes a
/// row.
using RowCapacities = std::integer_sequence<int, 32, 128>;

/// Entries per lane that wait for a merge into a warp queue of `capacity`: measured by Johnson et
/// al., section 4.3.
constexpr int thread_queue_length(int capacity) {
  return capacity <= 32 ? 2 : capacity <= 128 ? 3 : capacity <= 256 ? 4 : 8;
}

/// The largest k that a block selects in shared memory, where the GPU has as much as that takes
/// (block_limit.hpp); the radix path is beyond.
inline constexpr std::size_t kBlockSelectLimit = 4096;

/// How many entries a block holds: 3k to 6k, and at least 4096. After a cut to k, the room that is
/// left decides when the next cut comes: with 4k entries, it comes when about four times as many
/// columns have been seen. It must be 2k or more.
constexpr int block_capacity(std::size_t k) {
  std::size_t power = 1;
  while (power < k) power *= 2;
  return static_cast<int>(3 * power < 4096 ? 4096 : 3 * power);
}

/// Rows of at most this many columns are faster with a warp for each, whose queue holds k.
constexpr std::size_t warp_row_columns(std::size_t k) {
  return k <= 10 ? 2048 : k <= 32 ? 1024 : 256;
}

/// If the parts of a row have more entries than this together, merging them in one block takes
/// longer than the radix path, which reads the row four times.
inline constexpr std::size_t kMaxPartEntries = 65'536;

}  // namespace warpdex
