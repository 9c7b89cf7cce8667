// Reads code points from UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpdex::metric {

/// What a byte that is no part of UTF-8 becomes: this plus the byte, which no code point is.
inline constexpr char32_t kStrayByte = 0x110000;

/// Takes one code point, or one stray byte, off the front of `text`, which is not empty.
inline char32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    text.remove_prefix(1);
    return first;
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr char32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  char32_t value = first & (0x7FU >> bytes);
  bool is_whole = first >= 0xC2 && first <= 0xF4 && text.size() >= bytes;
  for (std::size_t i = 1; is_whole && i < bytes; ++i) {
    is_whole = (byte(i) & 0xC0U) == 0x80;
    value = value << 6 | (byte(i) & 0x3FU);
  }
  if (!is_whole || value < kMin[bytes] || value > 0x10FFFF ||
      (value >= 0xD800 && value <= 0xDFFF)) {
    text.remove_prefix(1);
    return kStrayByte + first;
  }
  text.remove_prefix(bytes);
  return value;
}

}  // namespace warpdex::metric
