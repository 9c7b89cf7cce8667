// Adds the sums of a tile that were kept to the lists of their queries.
#pragma once

#include "flat/gpu/products.hpp"
#include "flat/gpu/tile_product.cuh"

namespace warpdex::vector {

/// Places in a query's list for `count` candidates of each of the 4 lanes that share its row: the
/// first one of this lane. All lanes of a warp.
__device__ __forceinline__ std::uint32_t take_places(const CandidateLists& lists,
                                                     std::uint32_t query, std::uint32_t count) {
  std::uint32_t end = count;
#pragma unroll
  for (std::uint32_t lanes = 1; lanes < 4; lanes *= 2) {
    const std::uint32_t before = __shfl_up_sync(kWholeWarp, end, lanes, 4);
    if (lane_id() % 4 >= lanes) end += before;
  }
  std::uint32_t first = 0;
  if (lane_id() % 4 == 3 && end > 0) first = atomicAdd(lists.counts + query, end);
  return __shfl_sync(kWholeWarp, first, 3, 4) + end - count;
}

/// Appends what a thread keeps of two rows of a tile, those of half 0 and half 1: bit i of
/// kept[half] stands for sum_of(i, half), block i / 2 and odd i % 2 of TileSums. Candidates count
/// from `first_place`, that of the right panel's first row. Atomic operations have a long latency,
/// so there is one for all that a row adds, and those of the two rows overlap. All lanes of a warp.
template <class SumOf>
__device__ __forceinline__ void append_kept(const CandidateLists& lists,
                                            const std::uint32_t (&kept)[2],
                                            const std::uint32_t (&query)[2],
                                            std::uint32_t first_place, const SumOf& sum_of) {
  std::uint32_t at[2];
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    at[half] = take_places(lists, query[half], static_cast<std::uint32_t>(__popc(kept[half])));
  }
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    Candidate* const list = lists.candidates + query[half] * lists.capacity;
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kColumnBlocks; ++i) {
      if ((kept[half] >> i & 1) == 0) continue;
      if (at[half] < lists.capacity) {
        list[at[half]] = {sum_of(i, half), first_place + column_of_sum(i / 2, i % 2)};
      }
      ++at[half];
    }
  }
}

}  // namespace warpdex::vector
