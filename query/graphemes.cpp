// Asks ICU's break iterator, unless both neighbours are ASCII.
#include "graphemes.hpp"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kReach = std::size_t{64} << 10;

bool is_ascii_byte(char byte) { return static_cast<unsigned char>(byte) < 0x80; }
bool is_inside_character(std::string_view text, std::size_t offset) {
  return offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80;
}
std::size_t character_before(std::string_view text, std::size_t offset) {
  while (is_inside_character(text, offset)) --offset;
  return offset;
}
std::size_t character_after(std::string_view text, std::size_t offset) {
  while (is_inside_character(text, offset)) ++offset;
  return offset;
}

bool is_plain_border(std::string_view text, std::size_t offset) {
  if (offset == 0 || offset >= text.size()) return true;
  const char before = text[offset - 1];
  return is_ascii_byte(before) && is_ascii_byte(text[offset]) &&
         !(before == '\r' && text[offset] == '\n');
}

/// ICU's borders near a place of a text.
class BordersNear {
 public:
  BordersNear(std::string_view text, std::size_t place)
      : start_(character_before(text, place - std::min(place, kReach))) {
    const std::size_t end = character_after(text, std::min(text.size(), place + kReach));
    UErrorCode status = U_ZERO_ERROR;
    breaks_.reset(icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    utext_openUTF8(&near_, text.data() + start_, static_cast<std::int64_t>(end - start_), &status);
    if (U_SUCCESS(status)) breaks_->setText(&near_, status);
    if (U_SUCCESS(status)) return;
    utext_close(&near_);
    throw Error(std::string("ICU could not find characters (") + u_errorName(status) +
                "): check that the ICU libraries and their data are installed whole");
  }
  ~BordersNear() { utext_close(&near_); }
  BordersNear(const BordersNear&) = delete;
  BordersNear& operator=(const BordersNear&) = delete;

  std::size_t before(std::size_t offset) {
    return breaks_->isBoundary(local(offset)) ? offset : global(breaks_->preceding(local(offset)));
  }
  std::size_t after(std::size_t offset) {
    return breaks_->isBoundary(local(offset)) ? offset : global(breaks_->following(local(offset)));
  }

 private:
  std::int32_t local(std::size_t offset) const {
    return static_cast<std::int32_t>(offset - start_);
  }
  std::size_t global(std::int32_t offset) const {
    return start_ + static_cast<std::size_t>(offset);
  }

  std::size_t start_;
  UText near_ = UTEXT_INITIALIZER;
  std::unique_ptr<icu::BreakIterator> breaks_;
};

}  // namespace

std::size_t grapheme_border_before(std::string_view text, std::size_t offset) {
  const std::size_t place = character_before(text, std::min(offset, text.size()));
  return is_plain_border(text, place) ? place : BordersNear(text, place).before(place);
}

std::size_t grapheme_border_after(std::string_view text, std::size_t offset) {
  const std::size_t place = character_after(text, std::min(offset, text.size()));
  return is_plain_border(text, place) ? place : BordersNear(text, place).after(place);
}

}  // namespace warpdex
