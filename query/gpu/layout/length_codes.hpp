// Document lengths on the GPU, two bytes a document and text field. One byte is a code of five
// significant bits, rounded down; it is enough for scores in units. The other byte makes the length
// exact. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::gpu {

/// The number of codes. The last one stands for all lengths of 31 * 2^14 and more.
inline constexpr std::uint32_t kLengthCodes = 256;

/// From this length on, a code may be off by more than 1/17.
inline constexpr std::uint32_t kTooLong = 1U << 19;

/// The code of the largest length that a code has and that is not above `length`.
WARPDEX_HOST_DEVICE constexpr std::uint8_t encode_length(std::uint32_t length) {
  std::uint32_t exponent = 0;
  while (length >> exponent >= 32) ++exponent;
  if (exponent > 14) return 255;
  const std::uint32_t digits = length >> exponent;
  return static_cast<std::uint8_t>(digits < 16 ? digits : 16 * (exponent + 1) + (digits & 15));
}

/// The length of a code.
WARPDEX_HOST_DEVICE constexpr std::uint32_t decode_length(std::uint32_t code) {
  return code < 16 ? code : (16 + (code & 15)) << (code / 16 - 1);
}

/// The first code of long documents. For shorter ones, one byte holds the length less the code's.
inline constexpr std::uint32_t kLongCode = 160;
static_assert(decode_length(kLongCode) - decode_length(kLongCode - 1) == 256);

/// The lengths of the long documents of a group of so many neighbours lie one after the other.
inline constexpr std::uint32_t kLengthGroup = 256;

/// Pointers to the lengths: two bytes a document, and four more of each long one. Where documents
/// have several text fields, the lengths of each field lie behind those of the field before.
struct Lengths {
  const std::uint8_t* codes;  ///< by place(); of each field padded to whole tiles
  /// By place(): the length less the code's length; of a long document its number among the long
  /// ones of its group.
  const std::uint8_t* remainders;
  const std::uint32_t* long_bases;    ///< by group: its first entry in long_lengths
  const std::uint32_t* long_lengths;  ///< of all long documents
  std::uint32_t field_stride;  ///< places of a field, whole tiles; not read where there is one

  /// Where a document's length in a text field is; that of the first field is at its docID.
  WARPDEX_HOST_DEVICE std::size_t place(std::uint32_t document, std::uint32_t field) const {
    return std::size_t{field} * field_stride + document;
  }

  /// The exact length at a place.
  WARPDEX_HOST_DEVICE std::uint32_t of(std::size_t place) const {
    const std::uint32_t code = codes[place];
    const std::uint32_t rest = remainders[place];
    if (code < kLongCode) return decode_length(code) + rest;
    return long_lengths[long_bases[place / kLengthGroup] + rest];
  }
};

}  // namespace warpdex::gpu
