// Units of BM25. Internal.
#pragma once

#include "gpu/units/unit_arithmetic.cuh"

namespace warpdex::gpu {

struct Bm25Units {
  static constexpr UnitForm kForm = UnitForm::kBm25;
  static constexpr bool kIsExact = false;
  static constexpr bool kHasLengths = true;
  static constexpr bool kHasFields = false;
  static constexpr bool kMayBeWhole = false;
  static constexpr bool kReadsC0 = false;
  static constexpr bool kIsMeasured = true;

  /// The part of a score that depends on the document's length alone.
  static __device__ float length_part(float c0, float c1, float length) { return c0 + c1 * length; }

  /// Integers are converted to floats and back by adding 2^23, which is much faster than the
  /// conversion instructions, unless values are `huge`.
  static __device__ std::uint32_t of(std::uint32_t value, float part, float weight, float,
                                     bool huge) {
    const float tf =
        huge ? static_cast<float>(value + 1) : __uint_as_float(kTwoTo23 | value) - 8'388'607.F;
    return __float_as_uint(__fdividef(tf * weight, tf + part) + 8'388'608.F) - kTwoTo23 + 1;
  }

  /// A score over its weight.
  static __device__ float share(float tf, float part, float) { return __fdividef(tf, tf + part); }

  static __device__ float by_exact_length(const Batch& batch, const Query&, std::uint32_t document,
                                          float lower) {
    return lower * share_by_exact_length(batch, batch.c1, document);
  }
  /// What is left of a score with the length at a place. Rounding it changes the score most for a
  /// frequency of one.
  static __device__ float share_by_exact_length(const Batch& batch, float c1, std::size_t place) {
    const auto length = static_cast<float>(batch.lengths.of(place));
    const auto rounded = static_cast<float>(decode_length(batch.lengths.codes[place]));
    return (1.F + batch.c0 + c1 * rounded) / (1.F + batch.c0 + c1 * length);
  }
  /// The same for any length.
  static __device__ float least_share(const Query& query) {
    return (query.flags & kCodedLengths) == 0 ? 0.F : 16.F / 17.F;
  }
  static __device__ std::uint32_t lower_of_any(const Query& query, std::uint32_t sum) {
    const float lower = static_cast<float>(sum) - static_cast<float>(query.rounding_slack);
    return static_cast<std::uint32_t>(fmaxf(0.F, lower * least_share(query) * 0.99999F));
  }

  // Of lists that are decoded once: a posting is the share of the list's weight, StoredPosting.
  using OfStored = Bm25Units;
  static constexpr float kStoredFraction = 16;  ///< of a unit, in stored_weight()
  static __device__ StoredPosting stored_value(std::uint32_t value, float part) {
    constexpr std::uint32_t kShares = 1U << (32 - kStoredShift);
    const float tf = static_cast<float>(value) + 1.F;
    const float share = __fdividef(tf, tf + part);
    const auto rounded = static_cast<std::uint32_t>(share * static_cast<float>(kShares) + 1.1F);
    return min(rounded, kShares - 1) << kStoredShift;
  }
  static __device__ std::uint32_t of_stored(StoredPosting posting, std::uint32_t weight,
                                            std::uint32_t cap) {
    return min((__umulhi(posting, weight) >> 4) + 1, cap);
  }
};

/// The same where documents have several text fields: each list has its own c1, and the lengths of
/// its field.
struct FieldBm25Units : Bm25Units {
  static constexpr UnitForm kForm = UnitForm::kFieldBm25;
  static constexpr bool kHasFields = true;
  static constexpr bool kIsMeasured = false;

  /// Each field's length takes a share of its lists' scores; the largest of these is taken of all.
  static __device__ float by_exact_length(const Batch& batch, const Query& query,
                                          std::uint32_t document, float lower) {
    if (batch.fields.count == 0) return lower * least_share(query);
    float share = 1;
    for (std::uint32_t field = 0; field < batch.fields.count; ++field) {
      const std::size_t place = batch.lengths.place(document, field);
      share = fminf(share, share_by_exact_length(batch, batch.fields.c1[field], place));
    }
    return lower * share;
  }
};

}  // namespace warpdex::gpu
