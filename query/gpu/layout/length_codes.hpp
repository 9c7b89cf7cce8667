// Document lengths on the GPU. A byte each, for scores in units: five significant bits, rounded
// down. And another, by which they are known exactly. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/host_device.hpp"

namespace warpdex::gpu {

/// Codes there are. The last stands for all lengths from 31 * 2^14 on.
inline constexpr std::uint32_t kLengthCodes = 256;

/// From here on, lengths are not known to a sixteenth.
inline constexpr std::uint32_t kTooLong = 1U << 19;

/// The code of the largest length that is not above `length`.
WARPDEX_HOST_DEVICE constexpr std::uint8_t encode_length(std::uint32_t length) {
  std::uint32_t exponent = 0;
  while (length >> exponent >= 32) ++exponent;
  if (exponent > 14) return 255;
  const std::uint32_t digits = length >> exponent;
  return static_cast<std::uint8_t>(digits < 16 ? digits : 16 * (exponent + 1) + (digits & 15));
}

/// The length that a code stands for.
WARPDEX_HOST_DEVICE constexpr std::uint32_t decode_length(std::uint32_t code) {
  return code < 16 ? code : (16 + (code & 15)) << (code / 16 - 1);
}

/// The first code of documents that are long: of all others, a byte says what the code's length
/// lacks.
inline constexpr std::uint32_t kLongCode = 160;
static_assert(decode_length(kLongCode) - decode_length(kLongCode - 1) == 256);

/// Neighbours whose long documents have their lengths one behind the other.
inline constexpr std::uint32_t kLengthGroup = 256;

/// Where the lengths are: two bytes a document, and four more of each long one.
struct Lengths {
  const std::uint8_t* codes;  ///< by docID, padded to whole tiles
  /// By docID: what its code's length lacks, or the number of a long document among those of its
  /// group.
  const std::uint8_t* rests;
  const std::uint32_t* long_bases;    ///< by group: where its long documents begin in
  const std::uint32_t* long_lengths;  ///< the lengths of all of them

  /// A document's length, as in the index.
  WARPDEX_HOST_DEVICE std::uint32_t of(std::uint32_t document) const {
    const std::uint32_t code = codes[document];
    const std::uint32_t rest = rests[document];
    if (code < kLongCode) return decode_length(code) + rest;
    return long_lengths[long_bases[document / kLengthGroup] + rest];
  }
};

}  // namespace warpdex::gpu
