// Units of postings, with a table of the length_part of each length code. Internal.
#pragma once

#include "gpu/device/score.cuh"

namespace warpdex::gpu {

/// What computing the units of a list's postings needs to know of the list.
struct ListWeight {
  float weight;  ///< in units
  float c0;
  std::uint32_t whole;  ///< for impacts whose sums are exact: how often the query has the term;
                        ///< else 0
  bool is_huge;         ///< kHugeFrequencies
  std::uint32_t cap;    ///< unit_cap of the query
};

/// Computes units of postings. In shared memory, for all warps of a CTA.
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

  static __device__ ListWeight weigh(const Query& query, const List& list) {
    const bool is_whole = kForm == ScoreForm::kImpact && query.rounding_slack == 0;
    return {list.weight * query.scale, list.c0,
            is_whole ? static_cast<std::uint32_t>(list.weight) : 0,
            (list.flags & kHugeFrequencies) != 0, query.unit_cap};
  }

  /// The code of a document's length, if scores depend on lengths.
  static __device__ std::uint8_t code_of(const Batch& batch, std::uint32_t document) {
    return kForm == ScoreForm::kImpact ? 0 : batch.lengths.codes[document];
  }

  __device__ std::uint32_t units(const ListWeight& list, std::uint32_t value,
                                 std::uint8_t code) const {
    if (kForm == ScoreForm::kImpact && list.whole != 0) return list.whole * value + list.whole;
    const float part = kForm == ScoreForm::kImpact ? 0 : parts[code];
    return min(units_of<kForm>(value, part, list.weight, list.c0, list.is_huge), list.cap);
  }

  /// The length codes of those documents that are not kNone. Call it before other work, since the
  /// latency is long.
  static __device__ void read_codes(const Batch& batch, const std::uint32_t (&documents)[4],
                                    std::uint8_t (&codes)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      codes[i] = documents[i] == kNone ? 0 : code_of(batch, documents[i]);
    }
  }
};

}  // namespace warpdex::gpu
