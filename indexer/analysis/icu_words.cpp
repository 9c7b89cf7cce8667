// Feeds ICU's break iterator piece by piece, and maps its UTF-16 breaks back to UTF-8.
#include "analysis/icu_words.hpp"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "analysis/analysis_path.hpp"
#include "analysis/icu_status.hpp"

namespace warpdex::analysis {
namespace {

/// Whether a character is always taken for a separator.
bool always_separates(char16_t unit) { return unit == u':' || unit == u'@'; }

/// Likewise in the other forms of these characters, which take three bytes in UTF-8.
bool is_form_of_separator(char16_t unit) {
  return unit == u'\uFF1A' || unit == u'\uFE55' || unit == u'\uFE13' || unit == u'\uFF20' ||
         unit == u'\uFE6B';
}

/// Bytes that `units` take in UTF-8. Well-formed UTF-16 only.
std::size_t utf8_length(const char16_t* units, std::int32_t count) {
  std::size_t bytes = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    const char16_t unit = units[i];
    if (unit < 0x80) {
      bytes += 1;
    } else if (unit < 0x800 || U16_IS_SURROGATE(unit)) {
      bytes += 2;
    } else {
      bytes += 3;
    }
  }
  return bytes;
}

/// Whether a segment holds nothing but connectors and what attaches to them ("__").
bool only_connectors(const char16_t* units, std::int32_t count) {
  for (std::int32_t i = 0; i < count;) {
    UChar32 code_point;
    U16_NEXT(units, i, count, code_point);
    const auto word_break = u_getIntPropertyValue(code_point, UCHAR_WORD_BREAK);
    if (word_break != U_WB_EXTENDNUMLET && word_break != U_WB_EXTEND && word_break != U_WB_FORMAT &&
        word_break != U_WB_ZWJ) {
      return false;
    }
  }
  return true;
}

/// Whether a segment begins with a symbol, such as a currency's, or with an emoji.
bool is_symbol(const char16_t* units, std::int32_t count) {
  std::int32_t i = 0;
  UChar32 code_point;
  U16_NEXT(units, i, count, code_point);
  return (U_GET_GC_MASK(code_point) & U_GC_S_MASK) != 0 ||
         u_hasBinaryProperty(code_point, UCHAR_EXTENDED_PICTOGRAPHIC);
}

/// `text` cut after at most `bytes` bytes, before a code point's first byte.
std::string_view utf8_front(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && U8_IS_TRAIL(static_cast<std::uint8_t>(text[bytes]))) --bytes;
  return text.substr(0, bytes);
}

}  // namespace

void append_split(std::string_view word, std::vector<std::string_view>& words) {
  std::size_t start = 0;
  std::size_t code_points = 0;
  for (std::size_t i = 0; word.size() - start > kMaxWordCodePoints && i < word.size(); ++i) {
    if (U8_IS_TRAIL(static_cast<std::uint8_t>(word[i]))) continue;
    if (code_points == kMaxWordCodePoints) {
      words.push_back(word.substr(start, i - start));
      start = i;
      code_points = 0;
    }
    ++code_points;
  }
  words.push_back(word.substr(start));
}

struct IcuWords::State {
  std::unique_ptr<icu::BreakIterator> breaks;
  UText text = UTEXT_INITIALIZER;
  std::vector<char16_t> units;  // the piece in UTF-16
  bool separates_all_forms = false;
  bool takes_symbols = false;
  ~State() { utext_close(&text); }

  /// Hands `piece` to the break iterator; returns its length in UTF-16 units.
  std::int32_t open(std::string_view piece);
  /// Of the segment that the break iterator passed last.
  bool is_word(std::int32_t start, std::int32_t end) const;
};

bool IcuWords::State::is_word(std::int32_t start, std::int32_t end) const {
  if (breaks->getRuleStatus() >= UBRK_WORD_NUMBER) {
    return !only_connectors(units.data() + start, end - start);
  }
  return takes_symbols && is_symbol(units.data() + start, end - start);
}

std::int32_t IcuWords::State::open(std::string_view piece) {
  if (units.size() < piece.size()) units.resize(piece.size());
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t count = 0;
  u_strFromUTF8(units.data(), static_cast<std::int32_t>(units.size()), &count, piece.data(),
                static_cast<std::int32_t>(piece.size()), &status);
  if (status == U_STRING_NOT_TERMINATED_WARNING) status = U_ZERO_ERROR;
  require_icu(status, "read UTF-8");
  // '(' is as plain a separator as there is, and as long.
  for (std::int32_t i = 0; i < count; ++i) {
    if (always_separates(units[i])) units[i] = u'(';
    if (separates_all_forms && is_form_of_separator(units[i])) units[i] = u'\uFF08';
  }
  utext_openUChars(&text, units.data(), count, &status);
  breaks->setText(&text, status);
  require_icu(status, "segment text");
  return count;
}

IcuWords::IcuWords(std::uint32_t version, bool symbols, std::size_t piece_bytes)
    : piece_bytes_(std::max<std::size_t>(piece_bytes, U8_MAX_LENGTH)),
      state_(std::make_unique<State>()) {
  state_->separates_all_forms = version >= kOneFormVersion;
  state_->takes_symbols = symbols;
  UErrorCode status = U_ZERO_ERROR;
  state_->breaks.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  require_icu(status, "load its word segmentation");
}

IcuWords::~IcuWords() = default;

void IcuWords::append(std::string_view text, std::vector<std::string_view>& words) {
  while (!text.empty()) {
    const std::string_view piece = utf8_front(text, piece_bytes_);
    text.remove_prefix(append_piece(piece, piece.size() == text.size(), words));
  }
}

/// Appends the words of `piece` and returns how many bytes of it are done. Unless `last`, more text
/// follows. Then the piece's end is no boundary, and the last boundary before it may not be one
/// either ("can'" may go on as "can't"). The boundary before that one is certain, since what
/// follows it was seen to end within the piece. ICU matches each segment from its start alone, so
/// the rest may start at any true boundary.
std::size_t IcuWords::append_piece(std::string_view piece, bool last,
                                   std::vector<std::string_view>& words) {
  const std::int32_t count = state_->open(piece);
  const char16_t* units = state_->units.data();
  const std::size_t known_words = words.size();
  std::size_t boundary = 0, before = 0, safe = 0;  // bytes: the last boundary, and two earlier
  std::int32_t start = state_->breaks->first();
  for (std::int32_t end = state_->breaks->next(); end != icu::BreakIterator::DONE;
       start = end, end = state_->breaks->next()) {
    safe = before;
    before = boundary;
    boundary += utf8_length(units + start, end - start);
    if (state_->is_word(start, end)) {
      append_split(piece.substr(before, boundary - before), words);
    }
  }
  if (last || safe == 0 || count == 0) return piece.size();
  const char* done = piece.data() + safe;
  while (words.size() > known_words && words.back().data() >= done) words.pop_back();
  return safe;
}

}  // namespace warpdex::analysis
