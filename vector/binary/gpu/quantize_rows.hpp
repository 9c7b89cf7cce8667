// Vectors in GPU memory to codes.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct QuantizeTask {
  const float* rows;     ///< less the centre, rotated
  std::uint32_t stride;  ///< floats from one to the next
  std::uint32_t count;
  std::uint32_t dimension;
  std::uint32_t bits;
  float factor;                ///< cell_factor()
  const std::uint32_t* sizes;  ///< rows of each 32 places that are there; null: all
  /// Groups for `count` rows, aligned to 4 bytes; codes of zeros where there is no row.
  std::uint32_t* groups;
};

/// Queues the encoding, to the bits of encode(). O(count * dimension).
void quantize_rows(const QuantizeTask& task, const Stream& stream);

}  // namespace warpdex::vector
