// Units of query likelihood. Internal.
#pragma once

#include "gpu/units/unit_arithmetic.cuh"

namespace warpdex::gpu {

struct QueryLikelihoodUnits {
  static constexpr UnitForm kForm = UnitForm::kQueryLikelihood;
  static constexpr bool kIsExact = false;
  static constexpr bool kHasLengths = true;
  static constexpr bool kHasFields = false;
  static constexpr bool kMayBeWhole = false;
  static constexpr bool kReadsC0 = true;
  static constexpr bool kIsMeasured = false;

  /// The logarithm that depends on the document's length alone.
  static __device__ float length_part(float, float c1, float length) {
    return __logf(c1 / (length + c1));
  }

  static __device__ std::uint32_t of(std::uint32_t value, float part, float weight, float c0,
                                     bool) {
    const float tf = static_cast<float>(value + 1);
    return static_cast<std::uint32_t>(weight * fmaxf(0.F, __logf(1.F + tf * c0) + part)) + 1;
  }

  static __device__ float share(float tf, float part, float c0) {
    return __logf(1.F + tf * c0) + part;
  }

  static __device__ float by_exact_length(const Batch& batch, const Query& query,
                                          std::uint32_t document, float lower) {
    const auto length = static_cast<float>(batch.lengths.of(document));
    const auto rounded = static_cast<float>(decode_length(batch.lengths.codes[document]));
    return lower - query.weight_units * __logf((length + batch.c1) / (rounded + batch.c1));
  }
  static __device__ std::uint32_t lower_of_any(const Query&, std::uint32_t) { return 0; }
};

}  // namespace warpdex::gpu
