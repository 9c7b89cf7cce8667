// An encoded list of values as kernels read it. No CUDA syntax here: the host fills it in.
// Internal.
#pragma once

#include <cstdint>

#include "warpdex/codecs/exception_table.hpp"

namespace warpdex::device {

/// One of a list's two value arrays (docID gaps or frequencies). All pointers are device pointers,
/// to GPU memory or to page-locked host memory, and 64 bytes of slack (kReadSlack) lie behind, so
/// that decoders may read there. `bytes` may have any alignment, but the section that it points
/// into is aligned to 4: a decoder loads whole words.
///
/// Lists of fewer than 128 values have no block arrays in the index; a caller that decodes such a
/// list on the GPU must make them.
struct alignas(8) DeviceValues {
  const std::uint8_t* bytes = nullptr;     ///< of the first block
  const std::uint16_t* offsets = nullptr;  ///< of the list's blocks, from their group's base
  const std::uint32_t* bases = nullptr;    ///< of the list's groups of 32 blocks but the first
  const std::uint8_t* codes = nullptr;     ///< of the list's blocks
  /// `pfor` only: where each block's exceptions are, all zero in a list without exceptions
  const ExceptionEntry* exceptions = nullptr;
  const ExceptionBase* exception_bases = nullptr;  ///< of the groups but the first
  const std::uint8_t* tail = nullptr;              ///< `pfor` only: the list's exceptions
  std::uint32_t count = 0;                         ///< values in the list
  std::uint8_t parameter = 0;                      ///< EncodedValues::parameter
  std::uint8_t levels = 0;                         ///< of the tail
};

/// Where the exceptions of a block of `pfor` are, from its list's table.
struct ExceptionPlace {
  std::uint32_t first = 0;     ///< the block's first exception, among the list's
  std::uint32_t in_gaps = 0;   ///< the first exception of their gaps
  std::uint32_t in_highs = 0;  ///< the first exception of their high bits
  std::uint32_t counts = 0;    ///< numbers of these three, from the lowest byte on
};

/// Where a block is and how to read it.
struct BlockPlace {
  const std::uint8_t* at = nullptr;  ///< its first byte, a device pointer
  std::uint32_t index = 0;           ///< in its list
  std::uint8_t code = 0;             ///< its entry in EncodedValues::codes
  std::uint8_t count = 0;            ///< its values, 1 to 128
  ExceptionPlace exceptions = {};    ///< `pfor` only
};

}  // namespace warpdex::device
