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

#include <cstddef>

#include "warpdex/vector/xfbq/xfbq_searcher.hpp"
#include "xfbq/query_code.hpp"

namespace warpdex::vector {

/// Of one query. Only of codes with corrections, whose vectors are kept.
class DistanceBound {
 public:
  static constexpr double kLikelyFactor = 3;

  /// `bound` is not kNone. `query` is prepared. All must outlive it.
  DistanceBound(const XfbqVectors& vectors, const QueryCode& code, const float* query,
                XfbqBound bound);

  /// By how much the product of the vectors may differ from that of their codes.
  double product_error(std::size_t row) const;
  /// No ascending() canonical distance of the row is below this, given the one by codes.
  double lowest(std::size_t row, float value) const;

 private:
  /// The length of a row less the centre, or more.
  double length(std::size_t row) const;

  const XfbqVectors& vectors_;
  bool is_l2_;
  double centre_ = 0;       ///< its length
  double query_ = 0;        ///< the length of what is compared
  double whole_query_ = 0;  ///< of the query itself, or more
  double query_residual_;
  double share_;  ///< of what is certain
  double rounding_;
};

}  // namespace warpdex::vector
