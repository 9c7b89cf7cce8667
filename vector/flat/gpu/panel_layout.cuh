// Where a component lies in a panel. A chunk has 128 rows of 32 halves, 64 bytes each, whose four
// units of 16 bytes are swapped so that the eight rows that ldmatrix reads at once lie in different
// banks.
#pragma once

#include <cstdint>

#include "flat/gpu/products.hpp"

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

/// The position of the row at a place of the panels, or kNoRow.
inline constexpr std::uint32_t kNoRow = 0xFFFFFFFF;
__device__ __forceinline__ std::uint32_t position_of(const DeviceChoice& choice,
                                                     const TileOrder& order, std::uint32_t place) {
  const std::uint32_t row = order.row(place);
  if (row >= choice.count) return kNoRow;
  return choice.positions == nullptr ? row : choice.positions[row];
}

/// What is added to the products of a row, and its slack; for kNoRow an infinite offset.
struct RowFacts {
  float offset;
  float slack;
};
__device__ __forceinline__ RowFacts find_row_facts(const DeviceRows& rows, std::uint32_t position,
                                                   const PanelRules& rules) {
  const HalfBound& bound = rules.bound;
  if (position == kNoRow) return {__int_as_float(0x7F800000), 0};
  const float size =
      rows.norms[position] * rules.scale * (bound.is_l2 ? rules.scale : kQueryLength);
  const float factor = bound.is_l2 ? 1 - bound.relative : -bound.relative;
  return {factor * size - bound.absolute, 2 * bound.relative * size + 2 * bound.absolute};
}

}  // namespace warpdex::vector
