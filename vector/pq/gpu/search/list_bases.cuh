// What matching a list with the queries that probe it begins with, whatever the way.
#pragma once

#include <cstdint>

#include "flat/gpu/canonical.cuh"
#include "lists/gpu/kernels.hpp"
#include "pq/gpu/search/kernels.hpp"

namespace warpdex::vector {

/// The list that a panel belongs to. `panel_begins` has lists + 1 entries.
__device__ __forceinline__ std::uint32_t list_of_panel(const std::uint32_t* panel_begins,
                                                       std::uint32_t lists, std::uint32_t panel) {
  std::uint32_t low = 0;
  for (std::uint32_t high = lists - 1; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (panel < panel_begins[middle + 1]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Copies a list's centroid to shared memory, padded with zeros as queries are. A CTA; ends with a
/// barrier.
__device__ __forceinline__ void bring_centroid(const DeviceRows& centroids, std::uint32_t list,
                                               std::uint32_t stride, float* centroid) {
  const auto* const from =
      static_cast<const float*>(centroids.data) + std::size_t{list} * centroids.stride;
  for (std::uint32_t i = threadIdx.x; i < stride; i += blockDim.x) {
    centroid[i] = i < centroids.dimension ? from[i] : 0.0F;
  }
  __syncthreads();
}

/// The term with which a sum is within no limit: infinity, or for products, whose sums are times
/// their terms, NaN.
template <bool kIsL2>
__device__ __forceinline__ float excluding_term() {
  return __int_as_float(kIsL2 ? 0x7F800000 : 0x7FC00000);
}

/// The term of a vector.
template <bool kIsL2>
__device__ __forceinline__ float term_of(const DeviceCodes& codes, std::uint32_t position) {
  if (codes.terms == nullptr) return kIsL2 ? 0.0F : 1.0F;
  return codes.terms[position];
}

/// Canonical distances, smaller when nearer, of kCount queries and a padded centroid; the lane gets
/// that of first_sum<kCount>(). Where an entry is kNoEntry, it is some query's. Terms are the same
/// whichever side is the query. A warp.
template <bool kIsL2, std::uint32_t kCount>
__device__ __forceinline__ float find_bases(const DeviceQueries& queries, std::uint32_t dimension,
                                            const std::uint32_t* entries, const float* centroid) {
  const float* rows[kCount];
#pragma unroll
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t query = entries[i] == kNoEntry ? 0 : entries[i];
    rows[i] = queries.values + std::size_t{query} * queries.stride;
  }
  float sums[kCount] = {};
  add_terms<kIsL2, kCount, 1>(rows, centroid, queries.stride, dimension, sums);
  add_lanes<kCount>(sums);
  return ascending_value<kIsL2>(sums[0]);
}

}  // namespace warpdex::vector
