// Document lengths in a byte each, for scores in units: five significant bits, rounded down.
// Internal.
#pragma once

#include <cstdint>

#include "warpdex/query/gpu/host_device.hpp"

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

}  // namespace warpdex::gpu
