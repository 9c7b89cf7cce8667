// Looks at bytes; what they mean is the readers' business.
#include "warpdex/core/text_lines.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kShownBytes = 20;  // on each side of a NUL

/// The name that iconv has for the encoding; empty for UTF-8 and what is not known.
std::string_view encoding_of(std::string_view start) {
  if (start.starts_with("\xFF\xFE\0\0"sv) || start.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return "UTF-16";
  if (start.size() < kEncodingBytes) return {};
  const auto is_ascii = [&](std::size_t i) {
    return start[i] != '\0' && static_cast<unsigned char>(start[i]) < 0x80;
  };
  if (is_ascii(0) && start[1] == '\0' && is_ascii(2) && start[3] == '\0') return "UTF-16LE";
  if (start[0] == '\0' && is_ascii(1) && start[2] == '\0' && is_ascii(3)) return "UTF-16BE";
  return {};
}

bool is_inside_character(char c) { return (c & 0xC0) == 0x80; }

/// The line around the NUL at `at`, for a message: whole characters, controls as escapes or '?'.
std::string around(std::string_view line, std::size_t at) {
  std::size_t begin = at - std::min(at, kShownBytes);
  std::size_t end = std::min(line.size(), at + 1 + kShownBytes);
  while (begin < at && is_inside_character(line[begin])) ++begin;
  while (end < line.size() && end > at + 1 && is_inside_character(line[end])) --end;
  std::string shown;
  for (const char c : line.substr(begin, end - begin)) {
    if (c == '\0') {
      shown += "\\0";
    } else {
      shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
  }
  return shown;
}

}  // namespace

void check_encoding(std::string_view start, const std::string& file) {
  const std::string encoding(encoding_of(start));
  if (encoding.empty()) return;
  throw InputError(file + " is " + encoding.substr(0, 6) +
                   "; convert it to UTF-8 first, as with iconv -f " + encoding + " -t UTF-8");
}

std::string_view without_byte_order_marks(std::string_view line) {
  while (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line;
}

std::string line_fault(std::string_view line) {
  const std::size_t at = line.find('\0');
  if (at == std::string_view::npos) return {};
  return "has a NUL (byte " + std::to_string(at + 1) + " of the line, '" + around(line, at) +
         "'); take it out, or give a file of UTF-8 text if this is none";
}

}  // namespace warpdex
