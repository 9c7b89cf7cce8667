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

QueryBound make_bound(const XfbqVectors& vectors, const QueryCode& code, const float* query,
                      XfbqBound bound) {
  const std::size_t dimension = vectors.quantizer.dimension;
  QueryBound made{};
  made.is_l2 = vectors.metric == Metric::kL2;
  if (!vectors.quantizer.centre.empty()) {
    made.centre = length_of(vectors.quantizer.centre.data(), dimension);
  }
  made.query = code.length;
  made.whole_query = length_of(query, dimension);
  made.query_residual = double{code.residual};
  const double rows = std::max(1.0, static_cast<double>(dimension) - 1);
  made.share = bound == XfbqBound::kCertain
                   ? 1
                   : std::min(1.0, DistanceBound::kLikelyFactor / std::sqrt(rows));
  made.rounding = (static_cast<double>(dimension) + 64) * 0x1p-22;
  return made;
}

}  // namespace warpdex::vector
