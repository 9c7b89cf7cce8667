// Units of postings that are decoded once for all queries of a batch. Internal to kernels/stored/.
#pragma once

#include "gpu/device/candidates.cuh"

namespace warpdex::gpu {

/// A list's weight, for stored_units(). Impacts: units times 256; BM25: units times 16.
template <ScoreForm kForm>
__device__ std::uint32_t stored_weight(const Query& query, const List& list) {
  constexpr float kFraction = kForm == ScoreForm::kImpact ? 256.F : 16.F;
  return static_cast<std::uint32_t>(ceilf(list.weight * query.scale * kFraction));
}

/// As units_of(), from a stored posting. `cap`: unit_cap of the query.
template <ScoreForm kForm>
__device__ std::uint32_t stored_units(StoredPosting posting, std::uint32_t weight,
                                      std::uint32_t cap) {
  if constexpr (kForm == ScoreForm::kImpact) {
    return ((posting >> kStoredImpactShift) * weight + 255) >> 8;
  } else {
    return min((__umulhi(posting, weight) >> 4) + 1, cap);
  }
}

}  // namespace warpdex::gpu
