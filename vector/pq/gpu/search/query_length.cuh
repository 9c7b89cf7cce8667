// Lengths of queries in double precision, by warps.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

/// The squared length of a vector less `centre` (null: none), the same in all lanes. A warp.
__device__ __forceinline__ double squared_length(const float* vector, const float* centre,
                                                 std::uint32_t dimension) {
  double squared = 0;
  for (std::uint32_t column = lane_id(); column < dimension; column += kWarp) {
    const double left = double{vector[column]} - (centre == nullptr ? 0.0 : double{centre[column]});
    squared += left * left;
  }
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    squared += __shfl_xor_sync(kWholeWarp, squared, lanes);
  }
  return squared;
}

}  // namespace warpdex::vector
