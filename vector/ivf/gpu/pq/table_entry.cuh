// Entries of a query's tables, to the bits of byte_tables(), and canonical distances to centroids.
#pragma once

#include <cstdint>

#include "flat/gpu/canonical.cuh"
#include "ivf/gpu/pq/code_data.hpp"

namespace warpdex::vector {

inline constexpr std::uint32_t kTableEntries = 256;  ///< of a byte

/// The products of a run of each query's vector with one of its codewords.
template <int kQueries>
__device__ __forceinline__ void run_products(const DeviceCodes& codes,
                                             const float* const (&vectors)[kQueries],
                                             std::uint32_t part, std::uint32_t word,
                                             float (&sums)[kQueries]) {
  const std::uint32_t end = codes.part_begin(part + 1);
#pragma unroll
  for (int q = 0; q < kQueries; ++q) sums[q] = 0;
#pragma unroll 4
  for (std::uint32_t c = codes.part_begin(part); c < end; ++c) {
    const float component = __ldg(codes.codebooks + (std::size_t{c} << codes.bits) + word);
#pragma unroll
    for (int q = 0; q < kQueries; ++q) sums[q] = __fmaf_rn(vectors[q][c], component, sums[q]);
  }
}

/// The entries of a byte for a value, one a query.
template <int kQueries>
__device__ __forceinline__ void table_entries(const DeviceCodes& codes,
                                              const float* const (&vectors)[kQueries],
                                              std::uint32_t byte, std::uint32_t value,
                                              float (&entries)[kQueries]) {
  if (codes.bits == 8) {
    run_products(codes, vectors, byte, value, entries);
    return;
  }
  float high[kQueries];
  run_products(codes, vectors, 2 * byte, value % 16, entries);
  run_products(codes, vectors, 2 * byte + 1, value / 16, high);
#pragma unroll
  for (int q = 0; q < kQueries; ++q) entries[q] = __fadd_rn(entries[q], high[q]);
}

/// The same for one query.
__device__ __forceinline__ float table_entry(const DeviceCodes& codes, const float* vector,
                                             std::uint32_t byte, std::uint32_t value) {
  const float* const vectors[1] = {vector};
  float entry[1];
  table_entries(codes, vectors, byte, value, entry);
  return entry[0];
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
