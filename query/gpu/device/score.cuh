// Scores on the GPU, in two forms. Scores in units are integers that are never below the score that
// they stand for, and kernels may add them up in any order. Exact scores are computed by the
// function that the CPU engine has, and only for documents that may be in an answer. Internal.
#pragma once

#include <type_traits>

#include "gpu/device/units.cuh"

namespace warpdex::gpu {

/// The units of code that is not compiled for each form: those of the batch.
struct BatchUnits;

/// A lower bound of a document's score * scale: its `sum` less what rounding may have added.
template <class Units>
__device__ inline std::uint32_t lower_units(const Batch& batch, const Query& query,
                                            std::uint32_t document, std::uint32_t sum) {
  if constexpr (std::is_same_v<Units, BatchUnits>) {
    return with_units(AllUnits(), batch.form,
                      [&]<class Own>() { return lower_units<Own>(batch, query, document, sum); });
  } else if constexpr (Units::kHasLengths) {
    const float lower = static_cast<float>(sum) - static_cast<float>(query.rounding_slack);
    const float exact = Units::by_exact_length(batch, query, document, lower);
    return static_cast<std::uint32_t>(fmaxf(0.F, exact * 0.99999F));
  } else {
    return Units::lower_of_any(query, sum);
  }
}

/// The same for any document with this sum, without reading its length: a lower bound still.
__device__ inline std::uint32_t lower_units(const Batch& batch, const Query& query,
                                            std::uint32_t sum) {
  return with_units(AllUnits(), batch.form,
                    [&]<class Units>() { return Units::lower_of_any(query, sum); });
}

/// An upper bound in units of the postings that a stored bound covers, where units are not exact
/// scores: of pairs, the largest.
__device__ inline std::uint32_t bound_units(const Batch& batch, const Query& query,
                                            const List& list, uint2 bound) {
  if (!has_length_codes(batch.form)) return ImpactUnits::bound(query, list, bound);
  float best = 0;
#pragma unroll
  for (int pair = 0; pair < static_cast<int>(kBoundPairs); ++pair) {
    const float tf = decode_rounded(bound.x >> (8 * pair) & 255);
    const float length = decode_rounded(bound.y >> (8 * pair) & 255);
    best = fmaxf(best, with_units(CodedUnits(), batch.form, [&]<class Units>() {
                   return Units::share(tf, Units::length_part(list.c0, list.c1, length), list.c0);
                 }));
  }
  return min(static_cast<std::uint32_t>(best * (list.weight * query.scale) * 1.00001F) + 2,
             query.unit_cap);
}

/// Scores and documents as one number: the better is the larger.
__device__ inline std::uint64_t make_key(float score, std::uint32_t document) {
  return static_cast<std::uint64_t>(__float_as_uint(score)) << 32 | (kNone - document);
}

}  // namespace warpdex::gpu
