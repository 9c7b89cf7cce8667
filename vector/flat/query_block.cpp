// Packs queries into panels.
#include "flat/query_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "product/panel.hpp"

namespace warpdex::vector {

QueryBlock::QueryBlock(const FlatVectors& vectors, const ProductKernels& kernels,
                       const float* queries, std::size_t stride, std::size_t count)
    : dimension_(vectors.vectors.dimension),
      panel_queries_(kernels.queries),
      bound_(vectors.metric, dimension_),
      panels_((count + panel_queries_ - 1) / panel_queries_ * panel_queries_ * dimension_),
      slacks_(count),
      shifts_(count),
      scales_(count, 1.0F) {
  for (std::size_t i = 0; i < count; ++i) add(vectors, queries + i * stride, i);
}

void QueryBlock::add(const FlatVectors& vectors, const float* query, std::size_t index) {
  const float norm = row_norm(vectors.metric, {query, dimension_}, vectors.centre);
  float factor = -2;
  if (bound_.is_l2) {
    slacks_[index] = bound_.slack(norm);
    shifts_[index] = (1 - bound_.relative) * norm;
  } else {
    int exponent = 0;
    std::frexp(norm, &exponent);
    scales_[index] = std::ldexp(1.0F, std::clamp(-exponent, -126, 126));
    factor = -scales_[index];
    slacks_[index] = bound_.is_bounded(norm) ? 2 * bound_.absolute * scales_[index]
                                             : std::numeric_limits<float>::infinity();
  }
  if (std::isinf(slacks_[index])) return;  // its panel stays 0, and its limit infinite
  float* const panel = panels_.data() + index / panel_queries_ * panel_queries_ * dimension_;
  const float* const centre = vectors.centre.empty() ? nullptr : vectors.centre.data();
  pack_row(query, centre, factor, dimension_, panel_queries_, panel + index % panel_queries_);
}

float QueryBlock::sum_limit(std::size_t query, float value) const {
  if (std::isinf(slacks_[query]) || std::isnan(value)) {
    return std::numeric_limits<float>::infinity();
  }
  const float sum = value * scales_[query] - shifts_[query];
  const float roundings = 0x1p-21F * (std::abs(value * scales_[query]) + shifts_[query]);
  return sum + roundings + bound_.absolute * scales_[query];
}

}  // namespace warpdex::vector
