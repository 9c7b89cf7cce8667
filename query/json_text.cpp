// Escapes what is not UTF-8.
#include "warpdex/query/json_text.hpp"

#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

void append_with_double_backslashes(std::string& out, std::string_view text) {
  for (const char c : text) out.append(c == '\\' ? 2 : 1, c);
}

void append_hexadecimal(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  out.append("\\x").append(1, kDigits[value >> 4]).append(1, kDigits[value & 15]);
}

}  // namespace

std::string json_text(std::string_view text) {
  std::size_t invalid = analysis::find_invalid_utf8(text);
  if (invalid == text.size()) return std::string(text);
  std::string out;
  for (;;) {
    append_with_double_backslashes(out, text.substr(0, invalid));
    if (invalid == text.size()) return out;
    append_hexadecimal(out, text[invalid]);
    text.remove_prefix(invalid + 1);
    invalid = analysis::find_invalid_utf8(text);
  }
}

}  // namespace warpdex
