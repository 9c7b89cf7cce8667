// Checks of ids and texts, and the sentences of their failures.
#include "warpdex/indexer/readers/text_checks.hpp"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr const char* kUnnamable = "holds white space or a control character";
constexpr const char* kWriteWithout =
    ", which a run could not name; write it without, as with '_' instead";

constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;

bool is_variation_selector(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_VARIATION_SELECTOR) != 0;
}

std::string code_point_name(char32_t character) {
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(character));
  return name.data();
}

/// Whether a character without width is one that writing needs where it stands: a joiner between
/// two characters that are not ASCII (Persian words, emoji), or a variation selector behind one.
bool is_in_place(char32_t character, char32_t before, std::string_view rest) {
  if (!belongs_to_writing(character) || before < 0x80) return false;
  if (is_variation_selector(character)) return true;
  std::size_t at = 0;
  return before != kNonJoiner && before != kJoiner && !rest.empty() &&
         take_character(rest, at) >= 0x80;
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

char32_t take_character(std::string_view text, std::size_t& at) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int64_t>(text.size());
  auto next = static_cast<std::int64_t>(at);
  UChar32 character = 0;
  U8_NEXT_OR_FFFD(bytes, next, size, character);
  at = static_cast<std::size_t>(next);
  return static_cast<char32_t>(character);
}

bool is_white_space(char32_t character) {
  return u_isUWhiteSpace(static_cast<UChar32>(character)) != 0;
}

bool is_without_width(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) !=
         0;
}

bool belongs_to_writing(char32_t character) {
  return character == kNonJoiner || character == kJoiner || is_variation_selector(character);
}

std::string id_fault(std::string_view id) {
  for (const char c : id) {
    if (is_control(c) || c == ' ') return std::string(kUnnamable) + kWriteWithout;
  }
  char32_t before = 0;
  for (std::size_t at = 0; at < id.size();) {
    const char32_t character = take_character(id, at);
    if (character >= 0x80 && character < 0xA0) return std::string(kUnnamable) + kWriteWithout;
    if (is_white_space(character)) {
      return std::string(kUnnamable) + " (" + code_point_name(character) + ")" + kWriteWithout;
    }
    if (is_without_width(character) && !is_in_place(character, before, id.substr(at))) {
      return "holds " + code_point_name(character) + ", which nobody sees; take it out";
    }
    before = character;
  }
  return {};
}

void check_id(std::string_view id, const Location& location) {
  if (id.empty()) fail_document(location, "the id is empty; give every document an id of its own");
  const std::string fault = id_fault(id);
  if (!fault.empty()) fail_document(location, "the id '" + excerpt(id) + "' " + fault);
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
