// Lanes and warps in device code, and simple operations of a warp. CTAs are one-dimensional.
#pragma once

#include <cstdint>

namespace warpdex {

/// Lanes of a warp, and the mask of all lanes.
inline constexpr std::uint32_t kWarp = 32;
inline constexpr std::uint32_t kWholeWarp = 0xFFFFFFFF;

__device__ __forceinline__ std::uint32_t lane_id() { return threadIdx.x % kWarp; }

/// The warp's number in its CTA. It comes from a shuffle, so that the compiler knows it to be
/// uniform and branches on it not to diverge. A whole warp.
__device__ __forceinline__ std::uint32_t warp_id() {
  return __shfl_sync(kWholeWarp, threadIdx.x / kWarp, 0);
}

/// Prefetches the cache line of an address to the L2 cache.
__device__ __forceinline__ void prefetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// The lanes below this one.
__device__ __forceinline__ std::uint32_t lanes_below() {
  std::uint32_t lanes;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
  return lanes;
}

/// Adds the value of the lane `kDistance` below, if there is one.
template <int kDistance>
__device__ __forceinline__ std::uint32_t add_from_below(std::uint32_t value) {
  asm volatile(
      "{\n"
      "  .reg .u32 below;\n"
      "  .reg .pred exists;\n"
      "  shfl.sync.up.b32 below|exists, %0, %1, 0, 0xFFFFFFFF;\n"
      "  @exists add.u32 %0, %0, below;\n"
      "}"
      : "+r"(value)
      : "n"(kDistance));
  return value;
}

/// The sum of the values of all lanes up to this one. Two instructions a step: a shuffle itself
/// tells whether its source lane exists.
__device__ __forceinline__ std::uint32_t inclusive_sum(std::uint32_t value) {
  value = add_from_below<1>(value);
  value = add_from_below<2>(value);
  value = add_from_below<4>(value);
  value = add_from_below<8>(value);
  return add_from_below<16>(value);
}

/// What an operation makes of the values of all lanes, in each of them.
template <class Operation>
__device__ __forceinline__ std::uint32_t warp_reduce(std::uint32_t value, Operation operation) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = operation(value, __shfl_xor_sync(kWholeWarp, value, lanes));
  }
  return value;
}

// The same by one instruction, where the GPU has it.
__device__ __forceinline__ std::uint32_t warp_sum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kWholeWarp, value);
#else
  return warp_reduce(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
}
__device__ __forceinline__ std::uint32_t warp_max(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kWholeWarp, value);
#else
  return warp_reduce(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
#endif
}
__device__ __forceinline__ std::uint32_t warp_or(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(kWholeWarp, value);
#else
  return warp_reduce(value, [](std::uint32_t a, std::uint32_t b) { return a | b; });
#endif
}

/// The largest value of all lanes, in each of them.
__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, lanes));
  }
  return value;
}

}  // namespace warpdex
