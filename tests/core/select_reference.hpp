// What k-selection should find, by sorting on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "warpdex/core/select/select_k.hpp"

namespace warpdex::test {

/// The number that a half's bits stand for.
inline double value_of(Half half) {
  const int exponent = half.bits >> 10 & 31;
  const int fraction = half.bits & 1023;
  double size = std::ldexp(fraction, -24);
  if (exponent == 31) {
    size = fraction == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent > 0) {
    size = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (half.bits & 0x8000) != 0 ? -size : size;
}
template <typename Key>
double value_of(Key key) {
  return static_cast<double>(key);
}

/// An entry of a row, and what comes out of a selection.
struct Selected {
  double value;
  std::uint64_t id;
  bool operator==(const Selected& other) const {
    return id == other.id &&
           (value == other.value || (std::isnan(value) && std::isnan(other.value)));
  }
};

/// Whether `a` comes before `b` by the contract.
inline bool comes_before(const Selected& a, const Selected& b, SelectOrder order) {
  if (std::isnan(a.value) != std::isnan(b.value)) return std::isnan(b.value);
  if (!std::isnan(a.value) && a.value != b.value) {
    return order == SelectOrder::kSmallest ? a.value < b.value : a.value > b.value;
  }
  return a.id < b.id;
}

/// The value of a place that no entry takes.
template <typename Key>
double missing_value(SelectOrder order) {
  if (order == SelectOrder::kSmallest) {
    return std::numeric_limits<Key>::is_integer
               ? static_cast<double>(std::numeric_limits<Key>::max())
               : std::numeric_limits<double>::infinity();
  }
  return std::numeric_limits<Key>::is_integer ? 0 : -std::numeric_limits<double>::infinity();
}
template <>
inline double missing_value<Half>(SelectOrder order) {
  return missing_value<float>(order);
}

/// How the keys of a test lie.
enum class Keys { kUniform, kFewDistinct, kSpecial, kRising, kFalling, kEqual };
inline constexpr Keys kAllKeys[] = {Keys::kUniform, Keys::kFewDistinct, Keys::kSpecial,
                                    Keys::kRising,  Keys::kFalling,     Keys::kEqual};

/// A key of about `size` different ones, whose values rise with `rank`.
template <typename Key>
Key nth_key(std::uint64_t rank, std::uint64_t size) {
  if constexpr (std::is_same_v<Key, float>) {
    return static_cast<float>(rank) - static_cast<float>(size) / 2;
  } else if constexpr (std::is_same_v<Key, Half>) {
    return Half{static_cast<std::uint16_t>(rank * 0x7C00 / (size + 1))};
  } else if constexpr (std::is_same_v<Key, std::uint16_t>) {
    return static_cast<std::uint16_t>(rank * 65535 / (size + 1));
  } else {
    return static_cast<std::uint32_t>(rank * 40'000);
  }
}

template <typename Key>
Key special_key(std::mt19937_64& random) {
  if constexpr (std::is_same_v<Key, float>) {
    const float keys[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1e-45F, 3e38F, 1.0F};
    return keys[random() % std::size(keys)];
  } else if constexpr (std::is_same_v<Key, Half>) {
    const std::uint16_t keys[] = {0x7E00, 0xFE01, 0x7C00, 0xFC00, 0, 0x8000, 1, 0x7BFF, 0x3C00};
    return Half{keys[random() % std::size(keys)]};
  } else {
    const Key keys[] = {0, 1, std::numeric_limits<Key>::max(),
                        static_cast<Key>(std::numeric_limits<Key>::max() - 1)};
    return keys[random() % std::size(keys)];
  }
}

template <typename Key>
Key make_key(Keys kind, std::uint64_t place, std::uint64_t size, std::mt19937_64& random) {
  switch (kind) {
    case Keys::kUniform: return nth_key<Key>(random() % (4 * size + 4), 4 * size + 4);
    case Keys::kFewDistinct: return nth_key<Key>(random() % 7, 7);
    case Keys::kSpecial: return special_key<Key>(random);
    case Keys::kRising: return nth_key<Key>(place, size);
    case Keys::kFalling: return nth_key<Key>(size - place, size);
    default: return nth_key<Key>(3, 7);
  }
}

}  // namespace warpdex::test
