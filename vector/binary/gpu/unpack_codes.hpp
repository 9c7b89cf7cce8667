// Codes become panels of halves, as the tensor cores read them.
#pragma once

#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "flat/gpu/panels.hpp"
#include "flat/gpu/tile_order.hpp"
#include "warpdex/core/cuda/stream.hpp"

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

/// Panels of rows by their codes.
struct UnpackedPanels : RowPanels {
  /// What comparisons read of each panel, 128 values at a time: of each row t/h, then with
  /// corrections 1/h, for the term t and the factor h. Where that is not defined (h of a vector of
  /// zeros is 0), minus infinity and FLT_MIN: the row may be within any limit. Without corrections
  /// these are the offsets.
  float* columns = nullptr;
};

/// The panels [first, first + count) of the rows, in `order`.
struct UnpackTask {
  DeviceBinaryCodes codes;
  const std::uint64_t* filter;  ///< a bit for each row that is allowed; null: all are
  TileOrder order;
  std::uint32_t first;
  std::uint32_t count;
  PanelNumber number;
};

/// Queues the writing of panels.halves: the whole numbers 2u + 1 - 2^bits that codes stand for; and
/// of panels.offsets: each row's term, or 0; infinite where there is no row, or none that is
/// allowed; and, if there are corrections, of panels.slacks: each row's factor; and of the columns.
/// Halves of components 32 c to 32 c + 31 lie in chunk c, with i + 16 behind i. Bytes of components
/// 64 c to 64 c + 63 do, of either half of them i, i + 8, i + 16 and i + 24 behind each other;
/// zeros past the last half.
void unpack_codes(const UnpackTask& task, const UnpackedPanels& panels, const Stream& stream);

/// Likewise of queries, whose numbers are negated, so that a product is that of their codes
/// negated. Components past the dimension are 0.
void unpack_queries(const DeviceQueryCodes& queries, const DeviceBinaryCodes& codes,
                    PanelNumber number, std::uint8_t* panels, const Stream& stream);

}  // namespace warpdex::vector
