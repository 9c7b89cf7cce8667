// Bit-set blocks to docIDs. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/ones.cuh"

namespace warpdex::device {

/// Each lane finds the ones of a contiguous piece of the bit set: a warp scan of their numbers
/// gives their ranks, shared memory brings them to the lanes that are due to have them.
__device__ __forceinline__ void dense_docids(const std::uint8_t* at, std::uint32_t count,
                                             std::uint32_t base, std::uint32_t last,
                                             WarpScratch& scratch,
                                             std::uint32_t (&docids)[kLaneValues]) {
  const std::uint32_t bits = min(last - base, 8 * kMaxBlockBytes);
  const std::uint32_t piece = min((bits + kLanes - 1) / kLanes, kMostPieceBits);
  const Positions positions(scratch);
  std::uint32_t found = 0;
  for (std::uint32_t origin = 0; origin < bits && found < count; origin += kLanes * piece) {
    const std::uint32_t position = origin + lane_index() * piece;
    std::uint32_t word = 0;
    if (position < bits) word = read_bits(at, position, min(piece, bits - position));
    const std::uint32_t ones = __popc(word);
    const std::uint32_t rank = found + inclusive_sum(ones);
    if (rank - ones >= count) word = 0;
    put_ones(word, piece, position, positions.address_of(rank - ones));
    found = __shfl_sync(kAllLanes, rank, kLanes - 1);
  }
  __syncwarp();
  positions.get(docids);
  __syncwarp();
#pragma unroll
  for (std::uint32_t& docid : docids) docid += base + 1;
}

}  // namespace warpdex::device
