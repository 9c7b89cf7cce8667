// Codes become panels of halves, as the tensor cores read them.
#pragma once

#include <cstdint>

#include "flat/gpu/panels.hpp"
#include "flat/gpu/tile_order.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "xfbq/gpu/binary_data.hpp"

namespace warpdex::vector {

/// The panels [first, first + count) of the rows, in `order`.
struct UnpackTask {
  DeviceBinaryCodes codes;
  const std::uint64_t* filter;  ///< a bit for each row that is allowed; null: all are
  TileOrder order;
  std::uint32_t first;
  std::uint32_t count;
};

/// Queues the writing of panels.halves: the whole numbers 2u + 1 - 2^bits that codes stand for; and
/// of panels.offsets: each row's term, or 0; infinite where there is no row, or none that is
/// allowed; and of panels.slacks, unless that is null: each row's factor. Components 32 c to 32 c +
/// 31 lie in chunk c, with i + 16 behind i.
void unpack_codes(const UnpackTask& task, const RowPanels& panels, const Stream& stream);

/// Likewise of queries, whose numbers are negated, so that a product is that of their codes
/// negated. Components past the dimension are 0.
void unpack_queries(const DeviceQueryCodes& queries, const DeviceBinaryCodes& codes,
                    std::uint8_t* halves, const Stream& stream);

}  // namespace warpdex::vector
