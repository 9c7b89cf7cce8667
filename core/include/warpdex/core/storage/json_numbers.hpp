// Numbers in JSON that the JSON library must not be given.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpdex {

/// Whether a number, outside of strings, has an exponent of three digits or more. Where it reads
/// numbers to the last bit, the JSON library reads outside its tables for one of many digits below
/// 1e-330 or so; nothing that is stored here is that small or large. O(text).
inline bool has_long_exponent(std::string_view json) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool is_in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string && (c == 'e' || c == 'E')) {
      std::size_t digit = i + 1;
      if (digit < json.size() && (json[digit] == '-' || json[digit] == '+')) ++digit;
      const std::size_t first = digit;
      while (digit < json.size() && is_digit(json[digit])) ++digit;
      if (digit - first >= 3) return true;
    }
  }
  return false;
}

}  // namespace warpdex
