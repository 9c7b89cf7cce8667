// How far a product of a query and a decoded residual, both rounded to halves, may be from what the
// canonical distance has.
//
// Let z be a query's vector as tables are made of it: -2 (q - m) for l2, else -q, rotated. With the
// decoded residual y of a vector, the centroid c of its list and the vector's term t, the canonical
// distance is D = base + t + (the entries of tables, whose sum is about z·y), where base is the
// canonical distance of q and c; as a float sum, in that order. A panel product gives S, about
// w (z·y), where z is scaled by a power of two to a length from 256 to 1,024, y by another to one
// below 2^12, and w is the product of both. Then S + w (base + t) is off from w D by what this adds
// up to:
//
// - Halves, the tensor cores, and the rounding of the entries' own sums: a product in float, summed
//   up in any order, is what HalfBound has for kInnerProduct. With A and B the scaled lengths it is
//   relative A B + absolute.
// - The additions of base, term and `bytes` entries. By Cauchy and Schwarz no partial sum is larger
//   than |base| + |t| + |z||y|, so all of them are off by u (bytes + 1) times that, u = 2^-24. Six
//   more roundings happen where S, base, term and a limit are put together: bytes + 16 has room.
// - What is lost below the range of normal floats: 2^-149 for each operation.
//
// For products t is 0, and D is a vector's length ratio h times what it is above, rounded. So is
// h (S + w base) by one more product; both count among the roundings. So the bound is times the
// largest h.
//
// For l2 a D below 0 becomes 0. Where S + w (base + t) is put up to 0, too, the bound holds on.
//
// |y| is at most the root of the sum, over runs, of the longest codeword's square. |base| is at
// most (|q - m| + max |c - m|)^2 for l2, else |q| max |c|.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "flat/gpu/half_bound.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"

namespace warpdex::vector {

struct CodeBound {
  /// Whether anything is known: false where lengths are so large that sums may overflow, and for
  /// what only a damaged index has.
  bool is_bounded = false;
  bool is_l2 = true;
  float scale = 1;      ///< of decoded residuals, a power of two
  float longest = 0;    ///< upper bound of their lengths
  float farthest = 0;   ///< of the distances of centroids from the centre, or of their lengths
  float term = 0;       ///< of the absolute values of terms that are added
  float ratio = 1;      ///< of length ratios
  float additions = 0;  ///< roundings of a canonical sum, and a few more
  float tiny = 0;       ///< what a canonical sum may lose below the range of normal floats
  float relative = 0;   ///< of HalfBound
  float absolute = 0;

  /// Largest length, term or scaled distance for which sums are known not to overflow.
  static constexpr float kLargest = 0x1p60F;

  /// Reads codebooks, terms and centroids once.
  static CodeBound of(const Lists<PqCoding>& vectors);

  /// Of the canonical distance of a query and a centroid. `length` is that of the query, for l2
  /// from the centre.
  WARPDEX_HOST_DEVICE float base(float length) const {
    const float sum = length + farthest;
    return (is_l2 ? sum * sum : length * farthest) * 1.001F;
  }
  /// How far S + w (base + t), for products h times S + w base, is from w D at the most.
  /// `scaled_length` is A, `weight` is w.
  WARPDEX_HOST_DEVICE float error(float scaled_length, float weight, float largest_base) const {
    const float product = scaled_length * scale * longest;
    const float sums = additions * (weight * (largest_base + term) + product);
    return ratio * (1.01F * (relative * product + absolute + sums + weight * tiny));
  }
  /// How far a sum by ByteTables may be from D at the most. Each of its `bytes` entries is off by
  /// half a `step`, and a little for the rounding's own rounding. No partial sum is larger than
  /// |base| + |t| + 3 |z||y|: that of the smallest entries is |z||y| at most, that of what the
  /// others have beyond these twice as much. `length` is |z|.
  WARPDEX_HOST_DEVICE float table_error(std::uint32_t bytes, float step, float length,
                                        float largest_base) const {
    const float sums = largest_base + term + 3 * length * longest;
    const float rounded = 0.501F * step * static_cast<float>(bytes);
    return ratio * (1.01F * (rounded + 2 * (additions * sums + tiny)));
  }
};

}  // namespace warpdex::vector
