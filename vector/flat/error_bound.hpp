// How far a panel product may be from the canonical distance, and what follows for each vector and
// each query.
//
// Let u = 2^-24 and d the dimension. A product of x and y in float, summed up in any order, is off
// by at most d u |x| |y| (1 + d u), so 2 x·y by at most d u (|x|^2 + |y|^2) (1 + d u). Taking the
// centre from x and y first moves |x - y|^2 by at most 4 u (|x|^2 + |y|^2). The canonical distance
// is a sum of d / 32 terms a lane and 5 more additions, of rounded differences: it is off by at
// most (d / 32 + 8) u |x - y|^2, which is no more than twice that times |x|^2 + |y|^2. Norms and
// sums are rounded a few times more. kRelative bounds all of it together, with room to spare.
#pragma once

#include <cstddef>
#include <limits>

#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

/// A sum of the panel product is -2 x·y (or, for products, -x·y of a query of length 1) and the
/// vector's offset. In that unit, called a sum, a vector's distance lies between its sum and its
/// sum plus the vector's and the query's slack.
struct ErrorBound {
  ErrorBound(Metric metric, std::size_t dimension)
      : is_l2(metric == Metric::kL2),
        relative((1.125F * static_cast<float>(dimension) + 64) * 0x1p-24F),
        absolute(static_cast<float>(dimension) * 0x1p-146F) {}

  /// Norms past this may overflow in sums: nothing is known of such vectors.
  float largest_norm() const { return is_l2 ? 0x1p120F : 0x1p60F; }
  /// False, too, for what only a damaged index has: negative norms and NaN.
  bool is_bounded(float norm) const { return norm >= 0 && norm <= largest_norm(); }

  /// What is added to the products of a vector with that norm (FlatVectors).
  float offset(float norm) const {
    if (!is_bounded(norm)) return -std::numeric_limits<float>::infinity();
    return (is_l2 ? (1 - relative) * norm : -relative * norm) - absolute;
  }
  float slack(float norm) const {
    if (!is_bounded(norm)) return std::numeric_limits<float>::infinity();
    return 2 * relative * norm + 2 * absolute;
  }

  bool is_l2;
  float relative;
  /// What a canonical distance may lose below the range of normal floats. A query that is scaled
  /// for the panel product scales it too.
  float absolute;
};

}  // namespace warpdex::vector
