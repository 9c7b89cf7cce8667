// Queries are encoded on the host, by their own scale.
#include "binary/query_code.hpp"

#include <algorithm>
#include <cmath>

#include "binary/corrected_code.hpp"
#include "binary/rotated.hpp"
#include "binary/train.hpp"
#include "distance/distance_kernels.hpp"

namespace warpdex::vector {
namespace {

double product(const float* x, std::span<const float> y) {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) sum += double{x[c]} * double{y[c]};
  return sum;
}

/// QueryCode::share for products.
float share_of_centre(const float* query, std::span<const float> centre) {
  constexpr double kSmallest = 0x1p-10;  // of the query's length over the centre's
  constexpr double kRange = 0x1p40;
  const double squared = product(centre.data(), centre);
  const double own = product(query, {query, centre.size()});
  const double projected = product(query, centre) / squared;
  const double share = std::max(projected, kSmallest * std::sqrt(own / squared));
  return share >= 1 / kRange && share <= kRange ? static_cast<float>(share) : 1.0F;
}

/// A query's code, and what its whole numbers are times to be about the query.
struct OwnScale {
  std::vector<std::uint32_t> code;
  double factor;
  float residual;  ///< with corrections, the length of what is left
};

OwnScale encode_by_own_scale(const BinaryQuantizer& quantizer, const float* rotated,
                             std::size_t query_bits) {
  const std::size_t dimension = quantizer.dimension;
  std::vector<float> sizes(rotated, rotated + dimension);
  for (float& size : sizes) size = std::abs(size);
  const float scale = clipped_scale(sizes, default_clip(query_bits));
  OwnScale own{std::vector<std::uint32_t>(quantizer.plane_words() * query_bits), 0, 0};
  if (quantizer.is_corrected) {
    const CodeCorrection correction =
        encode_corrected(rotated, dimension, scale, query_bits, own.code.data());
    own.factor = double{correction.factor};
    own.residual = correction.residual;
  } else {
    cells_of(rotated, dimension, scale, query_bits, own.code.data());
    own.factor = double{scale} / std::exp2(static_cast<double>(query_bits));
  }
  return own;
}

}  // namespace

QueryCode encode_query(Metric metric, const BinaryQuantizer& quantizer, std::size_t query_bits,
                       const float* query) {
  const std::size_t dimension = quantizer.dimension;
  const bool is_l2 = metric == Metric::kL2;
  const std::span<const float> taken =
      quantizer.moves_queries ? quantizer.centre : std::span<const float>();
  QueryCode result;
  if (!is_l2 && !taken.empty()) result.share = share_of_centre(query, taken);
  std::vector<float> moved(query, query + padded(dimension));
  std::vector<float> rotated(moved.size());
  for (std::size_t c = 0; c < taken.size(); ++c) moved[c] -= result.share * taken[c];
  rotate(quantizer, moved.data(), rotated.data());
  const OwnScale own = encode_by_own_scale(quantizer, rotated.data(), query_bits);

  lay_out_query(code_shape(quantizer, query_bits), own.code, result.words);
  result.top = code_product_top(quantizer, query_bits);
  const double usual = double{quantizer.scale} / std::exp2(static_cast<double>(quantizer.bits));
  const double unit = quantizer.is_corrected ? own.factor : usual * own.factor;
  result.weight = static_cast<float>(is_l2 ? -2 * unit : -unit);
  result.step = static_cast<float>((is_l2 ? 4 : 2) * usual * own.factor);
  result.base = static_cast<float>(is_l2 ? product(moved.data(), {moved.data(), dimension})
                                         : -product(query, quantizer.centre));
  result.length = std::sqrt(product(rotated.data(), {rotated.data(), dimension}));
  result.residual = own.residual;
  return result;
}

}  // namespace warpdex::vector
