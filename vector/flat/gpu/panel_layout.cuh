// Where a component lies in a panel. A chunk has 128 rows of 32 halves, 64 bytes each, whose four
// units of 16 bytes are swapped so that the eight rows that ldmatrix reads at once lie in different
// banks.
#pragma once

#include <cstdint>

#include "flat/gpu/panels.hpp"

namespace warpdex::vector {

/// Queries of products are scaled to lengths from a quarter of this up to this.
inline constexpr float kQueryLength = 1024;

/// Of unit `unit` (8 components) of a row within its chunk, in bytes.
__device__ __forceinline__ std::uint32_t unit_offset(std::uint32_t row, std::uint32_t unit) {
  return row * 64 + ((unit ^ (row / 2 & 3)) * 16);
}

/// Of a component of a row within its chunk, in bytes.
__device__ __forceinline__ std::uint32_t chunk_offset(std::uint32_t row, std::uint32_t column) {
  return unit_offset(row, column / 8) + column % 8 * 2;
}

}  // namespace warpdex::vector
