// Cuts ASCII into words by a table of classes; what is near other characters goes to ICU.
#include "analysis/word_segmenter.hpp"

#include <array>
#include <cstdint>

#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

// The word-break classes of UAX #29 that ASCII knows, as bits.
enum : std::uint8_t {
  kLetter = 1,
  kDigit = 2,
  kConnector = 4,   // ExtendNumLet: '_'
  kMidLetter = 8,   // stays inside a word between two letters (WB6, WB7)
  kMidDigit = 16,   // stays inside a word between two digits (WB11, WB12)
  kSeparator = 32,  // nothing before it joins it: text may be cut before it
  kWord = kLetter | kDigit | kConnector,
  kMid = kMidLetter | kMidDigit,
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 128; ++c) classes[c] = kSeparator;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  classes['_'] = kConnector;
  classes['\''] = classes['.'] = kMidLetter | kMidDigit;
  classes[','] = classes[';'] = kMidDigit;
  classes['"'] = 0;  // not part of an ASCII word, yet joins Hebrew letters (WB7b)
  return classes;
}

constexpr auto kClasses = make_classes();

std::uint8_t class_of(char byte) { return kClasses[static_cast<unsigned char>(byte)]; }

/// Whether the byte at `mid` joins its neighbours: "can't", "3.14".
bool joins(const char* mid) {
  const std::uint8_t around = class_of(mid[-1]) & class_of(mid[1]);
  const std::uint8_t kind = class_of(mid[0]);
  return ((kind & kMidLetter) != 0 && (around & kLetter) != 0) ||
         ((kind & kMidDigit) != 0 && (around & kDigit) != 0);
}

bool only_connectors(std::string_view word) {
  return word.find_first_not_of('_') == std::string_view::npos;
}

/// The words of ASCII text whose start and end are word boundaries.
void append_ascii_words(std::string_view text, std::vector<std::string_view>& words) {
  const char* next = text.data();
  const char* const end = next + text.size();
  while (true) {
    while (next < end && (class_of(*next) & kWord) == 0) ++next;
    if (next == end) return;
    const char* const start = next;
    while (true) {
      do {
        ++next;
      } while (next < end && (class_of(*next) & kWord) != 0);
      if (end - next < 2 || (class_of(*next) & kMid) == 0 || !joins(next)) break;
      ++next;
    }
    const std::string_view word(start, static_cast<std::size_t>(next - start));
    if (*start == '_' && only_connectors(word)) continue;
    if (word.size() > kMaxWordCodePoints) {
      append_split(word, words);
    } else {
      words.push_back(word);
    }
  }
}

/// The last place at or before `position`, not before `start`, where the text may be cut: before a
/// separator. `start` itself is such a place.
std::size_t cut_before(std::string_view text, std::size_t start, std::size_t position) {
  while (position > start && (class_of(text[position]) & kSeparator) == 0) --position;
  return position;
}

/// The first place after `position` where the text may be cut and goes on in ASCII; else its end.
std::size_t cut_after(std::string_view text, std::size_t position) {
  for (++position; position < text.size(); ++position) {
    if ((class_of(text[position]) & kSeparator) == 0) continue;
    if (position + 1 == text.size() || static_cast<unsigned char>(text[position + 1]) < 0x80) break;
  }
  return position;
}

}  // namespace

void WordSegmenter::segment(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  if (!ascii_fast_path_) {
    icu_.append(text, words);
    return;
  }
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t ascii_end = start + ascii_prefix(text.substr(start));
    if (ascii_end == text.size()) {
      append_ascii_words(text.substr(start), words);
      return;
    }
    const std::size_t mixed_start = cut_before(text, start, ascii_end);
    append_ascii_words(text.substr(start, mixed_start - start), words);
    start = cut_after(text, ascii_end);
    icu_.append(text.substr(mixed_start, start - mixed_start), words);
  }
}

}  // namespace warpdex::analysis
