// Vectors in GPU memory to codes with corrections.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/corrected_code.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct CorrectTask {
  const float* rows;     ///< less the centre, rotated
  std::uint32_t stride;  ///< floats from one to the next
  std::uint32_t count;
  std::uint32_t dimension;
  std::uint32_t bits;
  float scale;                 ///< BinaryQuantizer::scale
  const std::uint32_t* sizes;  ///< rows of each 32 that are there; null: all
  /// Scratch memory: `dimension` columns of pitch() numbers each.
  float* columns;
  std::int16_t* numbers;
  /// Groups for `count` rows, aligned to 4 bytes; codes of zeros where there is no row.
  std::uint32_t* groups;
  float* factors;    ///< `count` of them
  float* residuals;  ///< likewise

  WARPDEX_HOST_DEVICE static constexpr std::size_t pitch(std::size_t rows) {
    return (rows + 31) / 32 * 32;
  }
};

/// Queues the encoding, to the bits of encode(). O(count * dimension).
void correct_rows(const CorrectTask& task, const Stream& stream);

}  // namespace warpdex::vector
