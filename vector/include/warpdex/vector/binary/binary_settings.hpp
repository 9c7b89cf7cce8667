// How vectors become XOR-friendly binary codes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::vector {

/// The maximum number of bits of a component's code, of a vector and of a query.
inline constexpr std::size_t kMaxBinaryBits = 8;

struct BinarySettings {
  std::size_t bits = 4;     ///< of a component's code: 1 to kMaxBinaryBits
  bool is_rotated = false;  ///< by a random rotation first, so that no component stands out
  /// The share of components that may lie outside of the range that codes stand for, from 0 to
  /// below 1; negative: default_clip().
  double clip = -1;
  /// Whether each vector has a scale of its own and a correction (RaBitQ), so that distances by
  /// codes are right on average; 8 bytes a vector. Goes with a rotation.
  bool is_corrected = false;
  std::uint64_t seed = 1;   ///< of the rotation
  std::size_t threads = 0;  ///< that encode; 0: default_threads()
};

/// The share at which a normal distribution loses least: 1 bit clips 11 %, 4 bits 0.7 %.
double default_clip(std::size_t bits);

/// What a `query_bits` of 0 stands for.
constexpr std::size_t settled_query_bits(std::size_t query_bits, std::size_t bits) {
  return query_bits != 0 ? query_bits : bits < 4 ? 4 : bits;
}

}  // namespace warpdex::vector
