// Entries of a query's tables, to the bits of byte_tables(), and canonical distances to centroids.
#pragma once

#include <cstdint>

#include "flat/gpu/canonical.cuh"
#include "pq/gpu/search/kernels.hpp"

namespace warpdex::vector {

inline constexpr std::uint32_t kTableEntries = 256;  ///< of a byte

/// The product of a run of a query's vector with one of its codewords.
__device__ __forceinline__ float run_product(const DeviceCodes& codes, const float* vector,
                                             std::uint32_t part, std::uint32_t word) {
  const std::uint32_t end = codes.part_begin(part + 1);
  float sum = 0;
#pragma unroll 4
  for (std::uint32_t c = codes.part_begin(part); c < end; ++c) {
    sum = __fmaf_rn(vector[c], __ldg(codes.codebooks + (std::size_t{c} << codes.bits) + word), sum);
  }
  return sum;
}

/// The entry of a byte for a value.
__device__ __forceinline__ float table_entry(const DeviceCodes& codes, const float* vector,
                                             std::uint32_t byte, std::uint32_t value) {
  if (codes.bits == 8) return run_product(codes, vector, byte, value);
  return __fadd_rn(run_product(codes, vector, 2 * byte, value % 16),
                   run_product(codes, vector, 2 * byte + 1, value / 16));
}

/// Canonical distances, smaller when nearer, of a query and kCount centroids; the lane gets that of
/// first_sum<kCount>(). A warp. `query` is padded to `stride`.
template <bool kIsL2, int kCount>
__device__ __forceinline__ float distance_to_centroids(const DeviceCodes& codes, const float* query,
                                                       std::uint32_t stride,
                                                       const std::uint32_t (&lists)[kCount]) {
  const auto* const data = static_cast<const float*>(codes.centroids.data);
  const float* rows[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    rows[i] = data + std::size_t{lists[i]} * codes.centroids.stride;
  }
  float sums[kCount] = {};
  add_terms<kIsL2, kCount, 1>(rows, query, stride, codes.dimension, sums);
  add_lanes<kCount>(sums);
  return ascending_value<kIsL2>(sums[0]);
}

}  // namespace warpdex::vector
