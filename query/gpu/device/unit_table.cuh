// Units of postings, with a table by length code: of length_parts, or with several text fields of
// lengths. Internal.
#pragma once

#include "gpu/device/score.cuh"

namespace warpdex::gpu {

/// What computing the units of a list's postings needs to know of the list.
struct ListWeight {
  float weight;  ///< in units
  float c0;
  float c1;                   ///< this and the next are read with kHasFields
  const std::uint8_t* codes;  ///< of the lengths in the list's field, by docID
  std::uint32_t whole;  ///< for impacts whose sums are exact: how often the query has the term;
                        ///< else 0
  bool is_huge;         ///< kHugeFrequencies
  std::uint32_t cap;    ///< unit_cap of the query
};

/// The entry of a length code in the tables of kernels.
template <class Units>
__device__ inline float entry_of(const Batch& batch, std::uint32_t code) {
  const auto length = static_cast<float>(decode_length(code));
  return Units::kHasFields ? length : Units::length_part(batch.c0, batch.c1, length);
}

/// Computes units of postings. In shared memory, for all warps of a CTA.
template <class Units>
struct UnitTable {
  /// By code: the length_part, or with kHasFields the length.
  float parts[Units::kHasLengths ? kLengthCodes : 4];

  /// By a whole CTA; ends with a barrier.
  __device__ void fill(const Batch& batch) {
    if constexpr (Units::kHasLengths) {
      for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += blockDim.x) {
        parts[i] = entry_of<Units>(batch, i);
      }
      __syncthreads();
    }
  }

  static __device__ ListWeight weigh(const Batch& batch, const Query& query, const List& list) {
    const bool is_whole = Units::kMayBeWhole && query.rounding_slack == 0;
    return {list.weight * query.scale,
            list.c0,
            list.c1,
            batch.lengths.codes + batch.lengths.place(0, list.field),
            is_whole ? static_cast<std::uint32_t>(list.weight) : 0,
            (list.flags & kHugeFrequencies) != 0,
            query.unit_cap};
  }

  __device__ float part(const ListWeight& list, std::uint8_t code) const {
    if constexpr (!Units::kHasLengths) return 0;
    if constexpr (Units::kHasFields) return Units::length_part(list.c0, list.c1, parts[code]);
    return parts[code];
  }

  /// The code of a document's length, if scores depend on lengths.
  static __device__ std::uint8_t code_of(const Batch& batch, const ListWeight& list,
                                         std::uint32_t document) {
    if constexpr (Units::kHasFields) return list.codes[document];
    return Units::kHasLengths ? batch.lengths.codes[document] : 0;
  }

  __device__ std::uint32_t units(const ListWeight& list, std::uint32_t value,
                                 std::uint8_t code) const {
    if (Units::kMayBeWhole && list.whole != 0) return list.whole * value + list.whole;
    return min(Units::of(value, part(list, code), list.weight, list.c0, list.is_huge), list.cap);
  }

  /// The length codes of those documents that are not kNone. Call it before other work, since the
  /// latency is long.
  static __device__ void read_codes(const Batch& batch, const ListWeight& list,
                                    const std::uint32_t (&documents)[4], std::uint8_t (&codes)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      codes[i] = documents[i] == kNone ? 0 : code_of(batch, list, documents[i]);
    }
  }
};

}  // namespace warpdex::gpu
