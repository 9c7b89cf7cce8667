// Passes over ASCII a machine word at a time and leaves the rest to ICU.
#include "warpdex/indexer/analysis/utf8.hpp"

#include <unicode/utf8.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::analysis {
namespace {

constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;

std::uint64_t load_word(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace

std::size_t ascii_prefix(std::string_view text) {
  std::size_t position = 0;
  for (; position + 32 <= text.size(); position += 32) {
    const char* bytes = text.data() + position;
    const std::uint64_t any =
        load_word(bytes) | load_word(bytes + 8) | load_word(bytes + 16) | load_word(bytes + 24);
    if ((any & kHighBits) != 0) break;
  }
  while (position < text.size() && static_cast<unsigned char>(text[position]) < 0x80) ++position;
  return position;
}

std::size_t find_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int64_t>(text.size());
  std::int64_t position = static_cast<std::int64_t>(ascii_prefix(text));
  while (position < size) {
    const std::int64_t start = position;
    UChar32 code_point;
    U8_NEXT(bytes, position, size, code_point);
    if (code_point < 0) return static_cast<std::size_t>(start);
    if (position < size && bytes[position] < 0x80) {
      position +=
          static_cast<std::int64_t>(ascii_prefix(text.substr(static_cast<std::size_t>(position))));
    }
  }
  return text.size();
}

void require_utf8(std::string_view text) {
  const std::size_t offset = find_invalid_utf8(text);
  if (offset == text.size()) return;
  char value[8];
  std::snprintf(value, sizeof(value), "0x%02X", static_cast<unsigned char>(text[offset]));
  throw InputError("the text is not valid UTF-8 at byte " + std::to_string(offset) + " (" + value +
                   "): convert it to UTF-8, or leave it out");
}

}  // namespace warpdex::analysis
