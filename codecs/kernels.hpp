// The inner loops of decoding, in one form for each instruction set. Internal to codecs/.
//
// "Packed" bytes hold value i at bits [i * width, (i + 1) * width). Loops run over whole groups of
// kGroup values: they write up to the next multiple of kGroup, and read at most kReadSlack bytes
// from the start of the last group, so no further than kReadSlack past the packed bytes.
#pragma once

#include <cstdint>

#include "warpdex/core/cpu_features.hpp"

namespace warpdex {

/// Outputs have room for a whole number of groups of this many values.
inline constexpr std::uint32_t kGroup = 16;
/// Room that find_ones needs.
inline constexpr std::uint32_t kEnds = 256;

struct DecodeKernels {
  /// Unpacks `count` values of `width` bits (0 to 32).
  void (*unpack)(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t width,
                 std::uint32_t* out);

  /// Unpacks gaps less one, and sums: out[i] = base + (gap[0] + 1) + ... + (gap[i] + 1), modulo
  /// 2^32. Returns the bitwise or of the gaps, and perhaps of what follows them in the last group.
  std::uint32_t (*unpack_sum)(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t width,
                              std::uint32_t base, std::uint32_t* out);

  /// The same for gaps that lie in `values`, in place; `values` is initialised to its last group.
  std::uint32_t (*sum)(std::uint32_t* values, std::uint32_t count, std::uint32_t base);

  /// Ends (one past the position, in bits from `bytes` on) of the first `count` (up to 128) one
  /// bits at or past bit `start` (0 to 7), in words that start before `end`. Returns the number
  /// found, which may pass `count` by 63: `ends` has room for kEnds. At most 65,000 bits may lie
  /// before `end`.
  std::uint32_t (*find_ones)(const std::uint8_t* bytes, std::uint32_t start,
                             const std::uint8_t* end, std::uint32_t count, std::uint16_t* ends);

  /// With quotient[i] = ends[i] - ends[i - 1] - 1: adds quotient[i] << shift (0 to 31) to out[i].
  /// Returns the largest quotient. ends[-1], where the first one starts, is readable.
  std::uint32_t (*add_quotients)(const std::uint16_t* ends, std::uint32_t count,
                                 std::uint32_t shift, std::uint32_t* out);

  /// Adds (quotient[0] + ... + quotient[i]) << shift to out[i]; otherwise the same.
  std::uint32_t (*add_quotient_sums)(const std::uint16_t* ends, std::uint32_t count,
                                     std::uint32_t shift, std::uint32_t* out);
};

/// The kernels of the best instruction set not above `isa` that this processor has.
const DecodeKernels& decode_kernels_for(Isa isa);

/// decode_kernels_for(isa()), looked up once.
inline const DecodeKernels& decode_kernels() {
  static const DecodeKernels& chosen = decode_kernels_for(isa());
  return chosen;
}

}  // namespace warpdex
