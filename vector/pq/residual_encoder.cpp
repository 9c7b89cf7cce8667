// Residuals, their codes and terms.
#include "pq/residual_encoder.hpp"

#include <algorithm>
#include <cmath>

#include "distance/distance_kernels.hpp"

namespace warpdex::vector {
namespace {

double sum_of_squares(std::span<const float> vector) {
  double sum = 0;
  for (const float component : vector) sum += double{component} * double{component};
  return sum;
}

}  // namespace

ResidualEncoder::ResidualEncoder(const ProductQuantizer& quantizer, std::span<const float> centre)
    : quantizer_(quantizer),
      centre_(centre),
      rotated_centroid_(quantizer.coded_dimension()),
      residual_(padded(quantizer.dimension)),
      rotated_(quantizer.coded_dimension()) {}

void ResidualEncoder::set_centroid(std::span<const float> centroid) {
  centroid_.assign(centroid.begin(), centroid.end());
  for (std::size_t c = 0; c < centroid.size(); ++c) {
    residual_[c] = centre_.empty() ? centroid[c] : centroid[c] - centre_[c];
  }
  rotate(quantizer_, residual_.data(), rotated_centroid_.data());
  if (rotated_centroid_.size() == centroid.size()) return;
  outside_ = std::max(sum_of_squares(std::span(residual_).first(centroid.size())) -
                          sum_of_squares(rotated_centroid_),
                      0.0);
}

void ResidualEncoder::encode(std::span<const float> vector, std::uint8_t* code) {
  for (std::size_t c = 0; c < vector.size(); ++c) residual_[c] = vector[c] - centroid_[c];
  rotate(quantizer_, residual_.data(), rotated_.data());
  warpdex::vector::encode(quantizer_, rotated_.data(), code);
}

float ResidualEncoder::term(const std::uint8_t* code) {
  decode(quantizer_, code, rotated_.data());
  double sum = 0;
  for (std::size_t c = 0; c < rotated_.size(); ++c) {
    sum += double{rotated_[c]} * (double{rotated_[c]} + 2 * double{rotated_centroid_[c]});
  }
  return static_cast<float>(sum);
}

float ResidualEncoder::length_ratio(std::span<const float> vector, const std::uint8_t* code) {
  decode(quantizer_, code, rotated_.data());
  const double own = sum_of_squares(vector);
  double decoded = 0;
  for (std::size_t c = 0; c < rotated_.size(); ++c) {
    const double component = double{rotated_[c]} + double{rotated_centroid_[c]};
    decoded += component * component;
  }
  decoded += outside_;
  if (own == 0 || decoded == 0) return 1;
  const double ratio = std::sqrt(own / decoded);
  return static_cast<float>(std::min(std::max(ratio, 1 / kMaxLengthRatio), kMaxLengthRatio));
}

}  // namespace warpdex::vector
