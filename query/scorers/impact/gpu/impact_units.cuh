// Units of impacts. Internal.
#pragma once

#include "gpu/units/unit_arithmetic.cuh"

namespace warpdex::gpu {

struct ImpactUnits {
  static constexpr UnitForm kForm = UnitForm::kImpact;
  static constexpr bool kIsExact = false;
  static constexpr bool kHasLengths = false;
  static constexpr bool kHasFields = false;
  static constexpr bool kMayBeWhole = true;
  static constexpr bool kReadsC0 = false;
  static constexpr bool kIsMeasured = false;

  static __device__ std::uint32_t of(std::uint32_t value, float, float weight, float, bool) {
    return static_cast<std::uint32_t>(ceilf(static_cast<float>(value + 1) * weight));
  }

  static __device__ std::uint32_t lower_of_any(const Query& query, std::uint32_t sum) {
    return sum - min(sum, query.rounding_slack);
  }

  /// The largest impact itself is in the first byte.
  static __device__ std::uint32_t bound(const Query& query, const List& list, uint2 bound) {
    const float weight = list.weight * query.scale;
    return static_cast<std::uint32_t>(ceilf(static_cast<float>(bound.x & 255) * weight));
  }

  // Of lists that are decoded once: a posting is the impact, StoredPosting.
  using OfStored = ImpactUnits;
  static constexpr float kStoredFraction = 256;  ///< of a unit, in stored_weight()
  static __device__ StoredPosting stored_value(std::uint32_t value, float) {
    return (value + 1) << kStoredImpactShift;
  }
  static __device__ std::uint32_t of_stored(StoredPosting posting, std::uint32_t weight,
                                            std::uint32_t) {
    return ((posting >> kStoredImpactShift) * weight + 255) >> 8;
  }
};

}  // namespace warpdex::gpu
