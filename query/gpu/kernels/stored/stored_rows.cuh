// The places of the postings of lists that are decoded once. Internal to kernels/stored/.
#pragma once

#include "gpu/layout/batch.hpp"

namespace warpdex::gpu {

/// A row of stored_starts, of tile_row_entries(batch.tiles).
__device__ inline std::uint32_t* starts_of(const OrRounds& batch, std::uint32_t row) {
  return batch.stored_starts + row * (batch.tiles + 1);
}

/// The number of a posting's document in its tile.
__device__ inline std::uint32_t slot_of(StoredPosting posting) {
  return posting / 2 % kTileDocuments;
}

}  // namespace warpdex::gpu
