// Operations of scorers, on the CPU and the GPU by the same roundings. Internal.
#pragma once

#include <algorithm>
#include <limits>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex {

/// a / b, rounded as IEEE says.
WARPDEX_HOST_DEVICE inline float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

/// A constant of a score as a float. Extreme settings must give extreme constants, never infinity,
/// of which a score could become NaN.
inline float rounded_constant(double value, float limit = std::numeric_limits<float>::max()) {
  return static_cast<float>(std::min(value, static_cast<double>(limit)));
}

/// The largest constant whose product with any 32-bit frequency is finite.
inline constexpr float kLargestFactor = std::numeric_limits<float>::max() / 8'589'934'592.F;

/// A score less the most that relative rounding may have put it above that of a larger frequency.
inline float below_rounding(float score) {
  constexpr float kShare = 1.0F - 1e-6F;
  constexpr float kMin = 1e-30F;  // below, rounding is no longer relative
  return score > kMin ? score * kShare : 0.0F;
}

}  // namespace warpdex
