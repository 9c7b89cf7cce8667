// How far a product of vectors rounded to half precision may be from the canonical distance.
//
// Vectors x and queries y are scaled by a power of two, so that the longest vector is shorter than
// 2^12, and rounded to halves x', y'. Let u = 2^-11 and d the dimension. A component is off by u of
// itself or, below the range of normal halves, by 2^-25. So |y - y'| <= u |y| + 2^-25 sqrt(d). For
// the vectors, r |x| takes the place of u |x|: what their rounding was measured to be at the most,
// which for dense vectors is about a third. By Cauchy and Schwarz
//   |xy - x'y'| <= (r + u + ru) |x||y| + 2^-25 sqrt(d) (|x| + |y|) (1 + u) + 2^-50 d.
// For L2 the product counts twice, and 2 |x||y| <= |x|^2 + |y|^2, |x| <= (|x|^2 + 1) / 2. Queries
// of products are scaled to lengths of 256 to 1,024 (kQueryLength), so |x| <= |x||y| / 256 there.
//
// The tensor cores multiply without error and add 16 products to an accumulator at a time. They
// align the addends to the largest of them and cut off what is below 2^-23 of it; no partial sum is
// larger than 2 (|x|^2 + |y|^2), or for products 2 |x||y|. With 20 such errors for each 16
// components, and for the last ones, the sum is off by (2.5 d + 40) 2^-23 (|x|^2 + |y|^2).
//
// What the canonical distance, the centre, and norms in float add is as in error_bound.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "flat/error_bound.hpp"

namespace warpdex::vector {

/// With the unit of scaled products: a vector's distance lies between its sum and that plus slack,
/// as ErrorBound says. Let X and Y be the squared lengths of vector and query from the centre,
/// scaled, or for products X the product of their lengths. Then a sum is off by at most
/// relative * (X + Y) + absolute, for products relative * X + absolute.
struct HalfBound {
  /// `rounding` is the r above, at most 2^-11.
  HalfBound(Metric metric, std::size_t dimension, float rounding = kUnit)
      : is_l2(metric == Metric::kL2) {
    const auto d = static_cast<float>(dimension);
    const float root = std::sqrt(d) * 1.01F;
    const float halves = (rounding + kUnit) * 1.004F + root * 0x1p-24F;
    const float tensor_cores = (2.5F * d + 40) * 0x1p-23F;
    relative = halves + tensor_cores + ErrorBound(metric, dimension).relative;
    absolute = root * (is_l2 ? 0x1p-23F : 0x1p-14F) + d * 0x1p-48F;
    canonical_absolute = ErrorBound(metric, dimension).absolute;
  }

  /// The relative error of rounding one component.
  static constexpr float kUnit = 0x1p-11F;

  bool is_l2;
  float relative;
  float absolute;
  /// What a canonical distance may lose below the range of normal floats, before it is scaled.
  float canonical_absolute;
};

/// The power of two that scales vectors whose largest norm (FlatVectors) is `largest`.
inline float half_scale(Metric metric, float largest) {
  const float length = metric == Metric::kL2 ? std::sqrt(largest) : largest;
  int exponent = 0;
  std::frexp(length, &exponent);
  return std::ldexp(1.0F, std::clamp(12 - exponent, -100, 60));
}

}  // namespace warpdex::vector
