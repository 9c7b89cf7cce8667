// What kernels of the search by codes read: plain structs with pointers into GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::vector {

/// Codes in their lists. The bytes are those of the index.
struct DeviceCodes {
  const std::uint8_t* groups = nullptr;  ///< of 32 vectors, as docs/vector.md says
  const float* terms = nullptr;  ///< of each vector; for products length ratios, null: all are 1
  const std::uint32_t* row_numbers = nullptr;  ///< of each vector, list after list
  /// Of each list among the vectors and among the groups, and the end.
  const std::uint32_t* begins = nullptr;
  const std::uint32_t* group_begins = nullptr;
  const float* codebooks = nullptr;  ///< of ProductQuantizer
  const float* rotation = nullptr;   ///< likewise; null: none
  const float* centre = nullptr;     ///< for l2; else null
  DeviceRows centroids;
  std::uint32_t lists = 0;
  std::uint32_t dimension = 0;
  std::uint32_t bytes = 0;  ///< of a code
  std::uint32_t bits = 8;   ///< of a codeword's number
  bool is_l2 = true;

  WARPDEX_HOST_DEVICE std::uint32_t codewords() const { return 1U << bits; }
  WARPDEX_HOST_DEVICE std::uint32_t parts() const { return bits == 8 ? bytes : 2 * bytes; }
  /// Both factors are below 2^14.
  WARPDEX_HOST_DEVICE std::uint32_t part_begin(std::uint32_t part) const {
    return part * dimension / parts();
  }
  WARPDEX_HOST_DEVICE std::uint32_t stored_bytes() const { return (bytes + 3) / 4 * 4; }
  WARPDEX_HOST_DEVICE std::size_t group_bytes() const {
    return std::size_t{kGroupVectors} * stored_bytes();
  }
};

/// Where the codes of 8 neighbouring components, a *unit*, lie: in at most three words of a
/// vector's code.
struct alignas(16) UnitCodes {
  static constexpr std::uint32_t kComponents = 8;
  static constexpr std::uint32_t kOwnBits = 18;
  static constexpr std::uint32_t kWidthBits = 24;
  static constexpr std::uint32_t kFirstByteBits = 29;

  /// From bit 0: where the word of the group's first vector lies in the group. From kWidthBits: the
  /// bytes from one vector to the next. Word 0 has, from kFirstByteBits, the place of the first
  /// component's byte in it. Words 1 and 2 have, from kOwnBits, for codes of 4 bits, a bit for each
  /// of the first and of the last four components: whether it has the high half of its byte.
  std::uint32_t words[3];
  /// The bytes of the components, counted from the first one's: 4 bits each.
  std::uint32_t bytes;
};

}  // namespace warpdex::vector
