// How far a distance by codes may be from the canonical distance of the vectors.
//
// With y a vector, z the query, both less the centre and rotated, h c and f e what their codes
// stand for, y·z - (h c)·(f e) is (y - h c)·z + (h c)·(z - f e). By Cauchy and Schwarz that is at
// most r |z| + |h c| s, with r and s the residuals of vector and query, and |h c| <= |y| + r. That
// is *certain*. After a random rotation the directions of the residuals are random, so that such
// products are seldom longer than some times a 1 / sqrt(d - 1) of that: kLikelyFactor times is
// *likely*.
//
// Rounding adds to both: of the rotation, of the distance by codes, and of the canonical distance
// (error_bound.hpp), each a small multiple of 2^-24 of the lengths.
#pragma once

#include <cmath>
#include <cstddef>

#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/vector/xfbq/xfbq_searcher.hpp"
#include "xfbq/query_code.hpp"

namespace warpdex::vector {

/// The numbers of a query that its bounds are made of. Every processor gives the same bits.
///
/// The `size` of a row is its term for kL2, else the norm of its vector.
struct QueryBound {
  bool is_l2;
  double centre;          ///< its length
  double query;           ///< the length of what is compared
  double whole_query;     ///< of the query itself, or more
  double query_residual;  ///< the length of what the query's code leaves
  double share;           ///< of what is certain
  double rounding;

  /// The length of a row less the centre, or more.
  WARPDEX_HOST_DEVICE double length(float size) const {
    if (is_l2) return std::sqrt(double{size}) * (1 + 0x1p-20);
    return double{size} * (1 + 0x1p-20) + centre;
  }
  /// By how much the product of the vectors may differ from that of their codes.
  WARPDEX_HOST_DEVICE double product_error(float size, float residual) const {
    return share * (double{residual} * query + (length(size) + double{residual}) * query_residual);
  }
  /// No ascending() canonical distance of the row is below this, given the one by codes.
  WARPDEX_HOST_DEVICE double lowest(float size, float residual, float value) const {
    const double own = length(size) + centre;
    const double other = whole_query + centre;
    const double sizes = is_l2 ? own * own + other * other : own * other;
    return double{value} - (is_l2 ? 2 : 1) * product_error(size, residual) - rounding * sizes;
  }
};

/// `bound` is not kNone. `query` is prepared. Only of codes with corrections, whose vectors are
/// kept.
QueryBound make_bound(const XfbqVectors& vectors, const QueryCode& code, const float* query,
                      XfbqBound bound);

/// The bounds of one query.
class DistanceBound {
 public:
  static constexpr double kLikelyFactor = 3;

  /// As make_bound(). `vectors` must outlive it.
  DistanceBound(const XfbqVectors& vectors, const QueryCode& code, const float* query,
                XfbqBound bound)
      : vectors_(vectors), numbers_(make_bound(vectors, code, query, bound)) {}

  /// QueryBound::lowest() of a row.
  double lowest(std::size_t row, float value) const {
    const float size = numbers_.is_l2 ? vectors_.terms[row] : vectors_.vectors.norms[row];
    return numbers_.lowest(size, vectors_.residuals[row], value);
  }

 private:
  const XfbqVectors& vectors_;
  QueryBound numbers_;
};

}  // namespace warpdex::vector
