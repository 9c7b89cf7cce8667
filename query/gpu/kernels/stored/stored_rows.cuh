// Where the tiles of a list begin among its stored postings. Internal to kernels/stored/.
#pragma once

#include "gpu/layout/batch.hpp"

namespace warpdex::gpu {

/// A list's row of stored_starts: an entry for each tile, and one more.
__device__ inline std::uint32_t* starts_of(const OrRounds& batch, const List& list) {
  return batch.stored_starts + std::size_t{list.stored_row} * (batch.tiles + 1);
}

}  // namespace warpdex::gpu
