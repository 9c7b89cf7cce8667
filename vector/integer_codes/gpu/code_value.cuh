// Where words of codes lie, and the distance of a vector by its code, to the bit of the host's
// code_distance().
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

/// Where word `number` of row `row` lies, in words (CodeGroups), if a code has `words` words.
__device__ __forceinline__ std::size_t word_place(std::uint32_t row, std::uint32_t number,
                                                  std::uint32_t words) {
  const std::uint32_t chunk = number / 4;
  const std::uint32_t width = min(4U, words - chunk * 4);
  return std::size_t{row / kWarp} * words * kWarp + chunk * 4 * kWarp + row % kWarp * width +
         number % 4;
}

/// A vector's term in the distance of a query. For l2 vectors have terms.
template <bool kIsL2>
__device__ __forceinline__ float shared_term(const float* terms, std::size_t vector, float share) {
  if constexpr (kIsL2) return __ldg(terms + vector);
  return terms == nullptr ? 0.0F : __fmul_rn(share, __ldg(terms + vector));
}

/// The share of a query; 1 where there are no terms.
__device__ __forceinline__ float share_of(const float* shares, std::uint32_t query) {
  return shares == nullptr ? 1.0F : shares[query];
}

/// Smaller when nearer. `weight` is the query's times the vector's factor; `product` is a whole
/// number that a float holds as the host rounds it.
template <bool kIsL2>
__device__ __forceinline__ float code_value(float weight, float base, float product, float term) {
  const float sum = __fadd_rn(__fmul_rn(weight, product), __fadd_rn(base, term));
  if (kIsL2 && sum < 0) return 0;
  return __fadd_rn(sum, 0.0F);
}

}  // namespace warpdex::vector
