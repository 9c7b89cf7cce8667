// Reads code points from UTF-8.
#pragma once

#include <unicode/utf8.h>

#include <cstdint>
#include <string_view>

namespace warpdex::metric {

/// What a byte that is no part of UTF-8 becomes: this plus the byte, which no code point is.
inline constexpr char32_t kStrayByte = 0x110000;

/// Takes one code point, or one stray byte, off the front of `text`, which is not empty.
inline char32_t take_code_point(std::string_view& text) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int64_t>(text.size());
  const char32_t first = bytes[0];
  std::int64_t end = 0;
  UChar32 code_point;
  U8_NEXT(bytes, end, size, code_point);
  text.remove_prefix(code_point < 0 ? 1 : static_cast<std::size_t>(end));
  return code_point < 0 ? kStrayByte + first : static_cast<char32_t>(code_point);
}

}  // namespace warpdex::metric
