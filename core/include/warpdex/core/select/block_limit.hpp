// Up to which k a block selects on the current GPU. For the library's own GPU code (builds with
// CUDA only).
#pragma once

#include <cstddef>

#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/select/capacities.hpp"

namespace warpdex {

/// The largest k that a block selects in shared memory on the current GPU: kBlockSelectLimit, or
/// less where a block may have less than its entries, of `entry_bytes` each, and `other` bytes. 0:
/// none. Throws CudaError.
inline std::size_t block_select_limit(std::size_t entry_bytes, std::size_t other = 16 << 10) {
  const std::size_t room = current_chip().shared_memory_of_block;
  std::size_t limit = kBlockSelectLimit;
  while (limit > 0 &&
         static_cast<std::size_t>(block_capacity(limit)) * entry_bytes + other > room) {
    limit /= 2;
  }
  return limit;
}

}  // namespace warpdex
