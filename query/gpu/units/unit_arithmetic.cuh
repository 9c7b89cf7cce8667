// What the units of several scorers share. Internal.
#pragma once

#include "gpu/layout/batch.hpp"
#include "gpu/layout/length_codes.hpp"
#include "scorers/base/unit_form.hpp"

namespace warpdex::gpu {

inline constexpr std::uint32_t kTwoTo23 = 0x4B000000;  ///< the bits of 2^23 as a float

/// decode_rounded() of score_bound.hpp for a code below 256. From 8 on, the bits of a code are the
/// number's exponent and its first three binary digits.
__device__ inline float decode_rounded(std::uint32_t code) {
  constexpr std::uint32_t kExponent = 129;
  if (code < 8) return __uint_as_float(kTwoTo23 | code) - 8'388'608.F;
  return __uint_as_float((code << 20) + (kExponent << 23));
}

/// An upper bound in units of the postings that a stored bound covers: the largest of its pairs.
template <class Units>
__device__ inline std::uint32_t bound_of_pairs(const Query& query, const List& list, uint2 bound) {
  const float weight = list.weight * query.scale;
  float best = 0;
#pragma unroll
  for (int pair = 0; pair < static_cast<int>(kBoundPairs); ++pair) {
    const float tf = decode_rounded(bound.x >> (8 * pair) & 255);
    const float length = decode_rounded(bound.y >> (8 * pair) & 255);
    const float part = Units::length_part(list.c0, list.c1, length);
    best = fmaxf(best, Units::share(tf, part, list.c0));
  }
  return min(static_cast<std::uint32_t>(best * weight * 1.00001F) + 2, query.unit_cap);
}

}  // namespace warpdex::gpu
