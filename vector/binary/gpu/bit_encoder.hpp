// Rotated vectors in GPU memory to binary codes, with corrections or without.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/kernels.hpp"
#include "binary/rotated.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"

namespace warpdex::vector {

class BitEncoder {
 public:
  /// `quantizer` must outlive it; its centre and rotation are not looked at.
  explicit BitEncoder(const BinaryQuantizer& quantizer) : quantizer_(quantizer) {}

  std::size_t code_bytes(std::size_t rows) const {
    return groups_of(rows) * CodeGroups{quantizer_.code_bytes()}.group_bytes();
  }

  /// Takes memory for up to `rows` rows, a multiple of 32, or measures it.
  void lay_out(Arena& arena, std::size_t rows) {
    codes_ = arena.take<std::uint32_t>(code_bytes(rows) / sizeof(std::uint32_t));
    if (!quantizer_.is_corrected) return;
    columns_ = arena.take<float>(rows * quantizer_.dimension);
    numbers_ = arena.take<std::int16_t>(rows * quantizer_.dimension);
    factors_ = arena.take<float>(rows);
    residuals_ = arena.take<float>(rows);
  }

  /// Queues the encoding of `count` rows of `stride` floats. `sizes`: rows of each 32 that are
  /// there; null: all.
  void encode(const float* rows, std::uint32_t stride, std::uint32_t count,
              const std::uint32_t* sizes, const Stream& stream) const {
    const auto dimension = static_cast<std::uint32_t>(quantizer_.dimension);
    const auto bits = static_cast<std::uint32_t>(quantizer_.bits);
    if (quantizer_.is_corrected) {
      correct_rows({.rows = rows,
                    .stride = stride,
                    .count = count,
                    .dimension = dimension,
                    .bits = bits,
                    .scale = quantizer_.scale,
                    .sizes = sizes,
                    .columns = columns_,
                    .numbers = numbers_,
                    .groups = codes_,
                    .factors = factors_,
                    .residuals = residuals_},
                   stream);
      return;
    }
    const float factor = cell_factor(quantizer_.scale, quantizer_.bits);
    quantize_rows({rows, stride, count, dimension, bits, factor, sizes, codes_}, stream);
  }

  /// Queue copies of what was made to the host.
  void copy_codes(std::size_t rows, std::uint8_t* to, const Stream& stream) const {
    copy_to_host(to, reinterpret_cast<const std::uint8_t*>(codes_), code_bytes(rows), stream);
  }
  void copy_factors(std::size_t rows, float* to, const Stream& stream) const {
    copy_to_host(to, factors_, rows, stream);
  }
  void copy_residuals(std::size_t rows, float* to, const Stream& stream) const {
    copy_to_host(to, residuals_, rows, stream);
  }

 private:
  const BinaryQuantizer& quantizer_;
  std::uint32_t* codes_ = nullptr;
  float* columns_ = nullptr;  ///< this and the rest: of corrections
  std::int16_t* numbers_ = nullptr;
  float* factors_ = nullptr;
  float* residuals_ = nullptr;
};

}  // namespace warpdex::vector
