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
template <class Units>
struct UnitTable {
  float parts[Units::kHasLengths ? kLengthCodes : 4];  ///< length_part of each code

  /// By a whole CTA; ends with a barrier.
  __device__ void fill(const Batch& batch) {
    if constexpr (Units::kHasLengths) {
      for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += blockDim.x) {
        parts[i] = Units::length_part(batch.c0, batch.c1, static_cast<float>(decode_length(i)));
      }
      __syncthreads();
    }
  }

  static __device__ ListWeight weigh(const Query& query, const List& list) {
    const bool is_whole = Units::kMayBeWhole && query.rounding_slack == 0;
    return {list.weight * query.scale, list.c0,
            is_whole ? static_cast<std::uint32_t>(list.weight) : 0,
            (list.flags & kHugeFrequencies) != 0, query.unit_cap};
  }

  __device__ float part(std::uint8_t code) const { return Units::kHasLengths ? parts[code] : 0; }

  /// The code of a document's length, if scores depend on lengths.
  static __device__ std::uint8_t code_of(const Batch& batch, std::uint32_t document) {
    return Units::kHasLengths ? batch.lengths.codes[document] : 0;
  }

  __device__ std::uint32_t units(const ListWeight& list, std::uint32_t value,
                                 std::uint8_t code) const {
    if (Units::kMayBeWhole && list.whole != 0) return list.whole * value + list.whole;
    return min(Units::of(value, part(code), list.weight, list.c0, list.is_huge), list.cap);
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
