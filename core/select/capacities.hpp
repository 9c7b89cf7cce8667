// The sizes that selection is compiled for and where one method gives way to the next: the only
// place that lists them.
#pragma once

#include <cstddef>
#include <utility>

namespace warpdex {

/// Queue lengths for which WarpSelect is meant; other multiples of 32 work, and cost registers.
using WarpCapacities = std::integer_sequence<int, 32, 128, 512, 1024>;

/// Of those, the ones that select_k() has kernels of. Beyond the last a block takes a row.
using RowCapacities = std::integer_sequence<int, 32, 128>;

/// Entries per lane that wait for a merge into a warp queue of `capacity`: measured by Johnson et
/// al., section 4.3.
constexpr int thread_queue_length(int capacity) {
  return capacity <= 32 ? 2 : capacity <= 128 ? 3 : capacity <= 256 ? 4 : 8;
}

/// The largest k that a block selects in shared memory; the radix path is beyond.
inline constexpr std::size_t kBlockSelectLimit = 4096;

/// Entries that a block holds for k: after a cut to k, the room decides how soon the next comes.
/// With room for 4k, four times as many columns as before have been seen by then.
constexpr int block_capacity(std::size_t k) {
  std::size_t capacity = 4096;
  while (capacity < 3 * k) capacity *= 2;
  return static_cast<int>(capacity);
}

}  // namespace warpdex
