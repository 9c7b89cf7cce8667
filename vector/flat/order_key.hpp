// A distance and a row as one whole number, whose order is that of answers: nearer first, then the
// smaller row, NaN last.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

/// What is compared: the distance, or the negative of one that is larger when nearer. Never -0.
inline float ascending(Metric metric, float distance) {
  return larger_is_nearer(metric) ? 0.0F - distance : distance + 0.0F;
}

/// The distance again.
inline float from_ascending(Metric metric, float value) {
  return larger_is_nearer(metric) ? 0.0F - value : value;
}

/// Of ascending().
inline std::uint64_t order_key(float value, std::uint32_t row) {
  constexpr std::uint32_t kSign = 0x80000000U;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  bits = std::isnan(value) ? ~0U : (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::uint64_t{bits} << 32 | row;
}

inline std::uint32_t key_row(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

inline float key_value(std::uint64_t key) {
  constexpr std::uint32_t kSign = 0x80000000U;
  const auto bits = static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>((bits & kSign) != 0 ? bits & ~kSign : ~bits);
}

}  // namespace warpdex::vector
