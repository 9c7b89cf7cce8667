// Checks of ids and texts, and the sentences of their failures.
#include "warpdex/indexer/readers/text_checks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool is_utf16(std::string_view bytes) {
  return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
}

std::string hexadecimal(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// Text in an 8-bit character set has no control characters but line ends and tabs.
bool looks_like_text(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return std::none_of(head.begin(), head.end(), [](char c) {
    return is_control(c) && kWhiteSpace.find(c) == std::string_view::npos;
  });
}

[[noreturn]] void fail_encoding(std::string_view bytes, std::size_t offset,
                                const Location& location) {
  const std::string where = " at byte " + std::to_string(offset + 1) + " of the document";
  if (is_utf16(bytes)) {
    fail_document(location,
                  "the file is UTF-16; convert it first, as with iconv -f UTF-16 -t UTF-8");
  }
  if (bytes[offset] == '\0') {
    fail_document(location, "there is a NUL" + where +
                                "; this looks like a binary file or UTF-16, give UTF-8 text");
  }
  const std::string byte = "byte " + hexadecimal(bytes[offset]) + where + " is not UTF-8; ";
  if (!looks_like_text(bytes)) {
    fail_document(location, byte + "this looks like a binary file, give UTF-8 text");
  }
  fail_document(location, byte +
                              "if the file is Latin-1, convert it first, as with "
                              "iconv -f LATIN1 -t UTF-8");
}

}  // namespace

void check_utf8(std::string_view bytes, const Location& location) {
  const std::size_t invalid = analysis::find_invalid_utf8(bytes);
  const std::size_t nul = std::min(bytes.find('\0'), bytes.size());
  if (std::min(invalid, nul) < bytes.size()) {
    fail_encoding(bytes, std::min(invalid, nul), location);
  }
}

void check_id(std::string_view id, const Location& location) {
  if (id.empty()) fail_document(location, "the id is empty; give every document an id of its own");
  const bool has_white_space = id.find_first_of(kWhiteSpace) != std::string_view::npos;
  if (!has_white_space && without_controls(std::string(id), ' ') == id) return;
  fail_document(location, "the id '" + excerpt(id) +
                              "' holds white space or a control character, which a run could "
                              "not name; write it without, as with '_' instead");
}

void fail_document(const Location& location, std::string_view sentence) {
  throw BadDocument(location.to_string() + ": " + std::string(sentence));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::string without_controls(std::string text, char instead) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_control(text[i])) text[i] = instead;
    // U+0080 to U+009F take two bytes.
    const bool is_c1 =
        text[i] == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (is_c1) text[i] = text[i + 1] = instead;
  }
  return text;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t size = std::min(text.size(), kLongest);
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) --size;  // whole characters
  const std::string shown = without_controls(std::string(text.substr(0, size)), '?');
  return size < text.size() ? shown + "..." : shown;
}

}  // namespace warpdex
