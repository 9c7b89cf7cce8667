// A vector to its code.
#include <algorithm>
#include <array>
#include <cmath>

#include "binary/code_kernels.hpp"
#include "binary/corrected_code.hpp"
#include "binary/rotated.hpp"
#include "distance/distance_kernels.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/binary/binary_settings.hpp"

namespace warpdex::vector {

double default_clip(std::size_t bits) {
  // Max: *Quantizing for Minimum Distortion*, 1960: the ends of the best even quantiser of so many
  // bits for a normal distribution, as shares of what lies outside.
  constexpr std::array<double, kMaxBinaryBits> kShares{0.11,   0.046,   0.019,   0.0073,
                                                       0.0026, 0.00087, 0.00028, 0.000083};
  return kShares[std::clamp<std::size_t>(bits, 1, kMaxBinaryBits) - 1];
}

void rotate_from_centre(const BinaryQuantizer& quantizer, float* vector, float* rotated) {
  const std::size_t dimension = quantizer.dimension;
  for (std::size_t c = 0; c < quantizer.centre.size(); ++c) vector[c] -= quantizer.centre[c];
  rotate(quantizer, vector, rotated);
  std::fill(rotated + dimension, rotated + padded(dimension), 0.0F);
}

void rotate(const BinaryQuantizer& quantizer, const float* vector, float* rotated) {
  const std::size_t dimension = quantizer.dimension;
  if (quantizer.rotation.empty()) {
    std::copy_n(vector, dimension, rotated);
    return;
  }
  distance_kernels().product_float(vector, dimension, quantizer.rotation.data(), dimension,
                                   dimension, rotated);
}

void cells_of(const float* rotated, std::size_t dimension, float scale, std::size_t bits,
              std::uint32_t* words) {
  code_kernels().quantize(rotated, padded(dimension), cell_factor(scale, bits), bits, words);
  const std::size_t used = dimension % 32;
  if (used == 0) return;
  std::uint32_t* const last = words + dimension / 32 * bits;
  for (std::size_t bit = 0; bit < bits; ++bit) last[bit] &= (1U << used) - 1;
}

CodeCorrection encode(const BinaryQuantizer& quantizer, float* vector, float* rotated,
                      std::uint32_t* code) {
  rotate_from_centre(quantizer, vector, rotated);
  if (quantizer.is_corrected) {
    double squared = 0;
    for (std::size_t c = 0; c < quantizer.dimension; ++c) {
      squared += double{rotated[c]} * double{rotated[c]};
    }
    const auto usual = static_cast<float>(double{quantizer.scale} * std::sqrt(squared));
    return encode_corrected(rotated, quantizer.dimension, usual, quantizer.bits, code);
  }
  cells_of(rotated, quantizer.dimension, quantizer.scale, quantizer.bits, code);
  return {};
}

}  // namespace warpdex::vector
