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

}  // namespace warpdex::gpu
