// Document lengths on the GPU, two bytes a document. One byte is a code of five significant bits,
// rounded down; it is enough for scores in units. The other byte makes the length exact. Internal.
#pragma once

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

/// Pointers to the lengths: two bytes a document, and four more of each long one.
struct Lengths {
  const std::uint8_t* codes;  ///< by docID, padded to whole tiles
  /// By docID: the length less the code's length; of a long document its number among the long ones
  /// of its group.
  const std::uint8_t* remainders;
  const std::uint32_t* long_bases;    ///< by group: its first entry in long_lengths
  const std::uint32_t* long_lengths;  ///< of all long documents

  /// A document's exact length.
  WARPDEX_HOST_DEVICE std::uint32_t of(std::uint32_t document) const {
    const std::uint32_t code = codes[document];
    const std::uint32_t rest = remainders[document];
    if (code < kLongCode) return decode_length(code) + rest;
    return long_lengths[long_bases[document / kLengthGroup] + rest];
  }
};

}  // namespace warpdex::gpu
