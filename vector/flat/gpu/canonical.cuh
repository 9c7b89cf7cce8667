// Distances in the canonical order of arithmetic (distance/distance_kernels.hpp) by warps. Lane l
// of a warp is lane l of that order, so the bits are those of the CPU.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

template <bool kIsL2>
__device__ __forceinline__ float add_term(float x, float y, float sum) {
  if constexpr (kIsL2) {
    const float left = __fsub_rn(x, y);
    return __fmaf_rn(left, left, sum);
  } else {
    return __fmaf_rn(x, y, sum);
  }
}

__device__ __forceinline__ float to_float(float component) { return component; }
__device__ __forceinline__ float to_float(__half component) { return __half2float(component); }

/// Adds each lane's terms of kRows rows and kQueries queries to sums[query * kRows + row]. Queries
/// are padded with zeros to a multiple of 32 components.
template <bool kIsL2, int kRows, int kQueries, class Component>
__device__ __forceinline__ void add_terms(const Component* const (&rows)[kRows],
                                          const float* queries, std::uint32_t query_stride,
                                          std::uint32_t dimension,
                                          float (&sums)[kRows * kQueries]) {
#pragma unroll 4
  for (std::uint32_t begin = 0; begin < dimension; begin += kWarp) {
    const std::uint32_t column = begin + lane_id();
    float x[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) x[r] = column < dimension ? to_float(rows[r][column]) : 0.0F;
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const float y = queries[q * query_stride + column];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        sums[q * kRows + r] = add_term<kIsL2>(y, x[r], sums[q * kRows + r]);
      }
    }
  }
}

/// Adds up the lanes of kCount sums, in halves: lane l and l + 16, then l + 8, 4, 2 and 1. While a
/// lane holds several sums, the two that add keep one half of them each. In the end lane l holds
/// those from sum first_sum() on: kCount / 32 of them, or 1.
template <int kCount, int kDistance = 16, int kAll>
__device__ __forceinline__ void add_lanes(float (&sums)[kAll]) {
  if constexpr (kDistance > 0) {
    if constexpr (kCount > 1) {
      const bool is_upper = (lane_id() & kDistance) != 0;
#pragma unroll
      for (int i = 0; i < kCount / 2; ++i) {
        const float kept = is_upper ? sums[kCount / 2 + i] : sums[i];
        const float sent = is_upper ? sums[i] : sums[kCount / 2 + i];
        sums[i] = __fadd_rn(kept, __shfl_xor_sync(kWholeWarp, sent, kDistance));
      }
      add_lanes<kCount / 2, kDistance / 2>(sums);
    } else {
      sums[0] = __fadd_rn(sums[0], __shfl_xor_sync(kWholeWarp, sums[0], kDistance));
      add_lanes<1, kDistance / 2>(sums);
    }
  }
}

/// Sums that a lane holds after add_lanes<kCount>().
template <int kCount>
inline constexpr int kSumsOfLane = kCount > 32 ? kCount / 32 : 1;

/// The first of them. Below 32 sums, 32 / kCount lanes hold the same one.
template <int kCount>
__device__ __forceinline__ int first_sum() {
  const int lane = static_cast<int>(lane_id());
  return kCount >= 32 ? lane * (kCount / 32) : lane / (32 / kCount);
}

/// Smaller when nearer, and never -0, as ascending() has it.
template <bool kIsL2>
__device__ __forceinline__ float ascending_value(float distance) {
  return kIsL2 ? __fadd_rn(distance, 0.0F) : __fsub_rn(0.0F, distance);
}

}  // namespace warpdex::vector
