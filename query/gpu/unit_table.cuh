// Units of postings, with a table of what documents' lengths contribute. Internal.
#pragma once

#include "warpdex/query/gpu/score.cuh"

namespace warpdex::gpu {

/// Units of postings: what all warps of a CTA share.
template <ScoreForm kForm>
struct UnitTable {
  float parts[kForm == ScoreForm::kImpact ? 4 : kLengthCodes];  ///< length_part of each code

  /// By a whole CTA; ends with a barrier.
  __device__ void fill(const Batch& batch) {
    if constexpr (kForm != ScoreForm::kImpact) {
      for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += blockDim.x) {
        parts[i] = length_part(kForm, batch.c0, batch.c1, static_cast<float>(decode_length(i)));
      }
      __syncthreads();
    }
  }

  __device__ std::uint32_t units(const Batch& batch, const Query& query, const List& list,
                                 std::uint32_t value, std::uint32_t document) const {
    if constexpr (kForm == ScoreForm::kImpact) {
      if (query.slack == 0) return static_cast<std::uint32_t>(list.weight) * (value + 1);
    }
    float part = 0;
    if constexpr (kForm != ScoreForm::kImpact) part = parts[batch.length_codes[document]];
    return units_of<kForm>(value, part, list.weight * query.scale, list.c0,
                           (list.flags & kHugeFrequencies) != 0);
  }
};

}  // namespace warpdex::gpu
