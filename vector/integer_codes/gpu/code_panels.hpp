// Panels of codes that are whole numbers, for the tensor cores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/products.hpp"

namespace warpdex::vector {

/// What stands for a component in panels: a half, or a signed byte, which has room for 7 bits.
enum class PanelNumber : std::uint8_t { kHalf, kByte };

inline constexpr std::uint32_t kMaxByteBits = 7;

/// Chunks of a panel of codes: of 32 components as halves, or 64 as bytes.
constexpr std::uint32_t code_chunks(std::uint32_t dimension, PanelNumber number) {
  return number == PanelNumber::kByte ? (dimension + 63) / 64 : panel_chunks(dimension);
}
constexpr std::size_t code_panel_bytes(std::uint32_t dimension, PanelNumber number) {
  return std::size_t{code_chunks(dimension, number)} * kChunkBytes;
}

/// The largest product of codes for which all sums of the tensor cores are exact: they cut off what
/// is below 2^-23 of the largest addend (half_bound.hpp), and all addends are whole numbers. Sums
/// of bytes are always exact; up to this they are kept as floats.
inline constexpr std::int64_t kMaxExactProduct = std::int64_t{1} << 22;

}  // namespace warpdex::vector
