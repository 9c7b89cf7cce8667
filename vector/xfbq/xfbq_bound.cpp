// Lengths and their products.
#include "xfbq/xfbq_bound.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex::vector {
namespace {

double length_of(const float* vector, std::size_t dimension) {
  double sum = 0;
  for (std::size_t c = 0; c < dimension; ++c) sum += double{vector[c]} * double{vector[c]};
  return std::sqrt(sum);
}

}  // namespace

DistanceBound::DistanceBound(const XfbqVectors& vectors, const QueryCode& code, const float* query,
                             XfbqBound bound)
    : vectors_(vectors),
      is_l2_(vectors.metric == Metric::kL2),
      query_(code.length),
      query_residual_(double{code.residual}) {
  const std::size_t dimension = vectors.quantizer.dimension;
  if (!vectors.quantizer.centre.empty()) {
    centre_ = length_of(vectors.quantizer.centre.data(), dimension);
  }
  whole_query_ = length_of(query, dimension);
  const double rows = std::max(1.0, static_cast<double>(dimension) - 1);
  share_ = bound == XfbqBound::kCertain ? 1 : std::min(1.0, kLikelyFactor / std::sqrt(rows));
  rounding_ = (static_cast<double>(dimension) + 64) * 0x1p-22;
}

double DistanceBound::length(std::size_t row) const {
  if (is_l2_) return std::sqrt(double{vectors_.terms[row]}) * (1 + 0x1p-20);
  return double{vectors_.vectors.norms[row]} * (1 + 0x1p-20) + centre_;
}

double DistanceBound::product_error(std::size_t row) const {
  const double residual = double{vectors_.residuals[row]};
  return share_ * (residual * query_ + (length(row) + residual) * query_residual_);
}

double DistanceBound::lowest(std::size_t row, float value) const {
  const double own = length(row) + centre_;
  const double query = whole_query_ + centre_;
  const double sizes = is_l2_ ? own * own + query * query : own * query;
  return double{value} - (is_l2_ ? 2 : 1) * product_error(row) - rounding_ * sizes;
}

}  // namespace warpdex::vector
