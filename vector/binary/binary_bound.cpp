// With y a vector, z the query, both less the centre and rotated, h c and f e what their codes
// stand for, y·z - (h c)·(f e) is (y - h c)·z + (h c)·(z - f e). By Cauchy and Schwarz that is at
// most r |z| + |h c| s, with r and s the residuals of vector and query, and |h c| <= |y| + r.
//
// Rounding adds to it: of the rotation, of the distance by codes, and of the canonical distance
// (error_bound.hpp), each a small multiple of 2^-24 of the lengths.
#include "binary/binary_bound.hpp"

#include <cmath>

namespace warpdex::vector {
namespace {

double length_of(const float* vector, std::size_t dimension) {
  double sum = 0;
  for (std::size_t c = 0; c < dimension; ++c) sum += double{vector[c]} * double{vector[c]};
  return std::sqrt(sum);
}

}  // namespace

double largest_code_error(const BinaryVectors& vectors, const QueryCode& code, const float* query,
                          float size, float residual) {
  const std::size_t dimension = vectors.quantizer.dimension;
  const bool is_l2 = vectors.metric == Metric::kL2;
  const double centre =
      vectors.quantizer.centre.empty() ? 0 : length_of(vectors.quantizer.centre.data(), dimension);
  // The length of the row less the centre, or more.
  const double length =
      is_l2 ? std::sqrt(double{size}) * (1 + 0x1p-20) : double{size} * (1 + 0x1p-20) + centre;
  const double product =
      double{residual} * code.length + (length + double{residual}) * double{code.residual};
  const double own = length + centre;
  const double other = length_of(query, dimension) + centre;
  const double sizes = is_l2 ? own * own + other * other : own * other;
  const double rounding = (static_cast<double>(dimension) + 64) * 0x1p-22;
  return (is_l2 ? 2 : 1) * product + rounding * sizes;
}

}  // namespace warpdex::vector
