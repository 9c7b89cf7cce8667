// Units of postings that are decoded once for all queries of a batch. Internal to kernels/stored/.
#pragma once

#include "gpu/device/candidates.cuh"

namespace warpdex::gpu {

/// A list's weight, for Units::of_stored(): its units times Units::kStoredFraction.
template <class Units>
__device__ std::uint32_t stored_weight(const Query& query, const List& list) {
  return static_cast<std::uint32_t>(ceilf(list.weight * query.scale * Units::kStoredFraction));
}

}  // namespace warpdex::gpu
