// Cuts ASCII into words by a table of classes; what is near other characters goes to ICU.
#include "analysis/word_segmenter.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

void append_word(const char* start, const char* end, std::vector<std::string_view>& words) {
  const std::string_view word(start, static_cast<std::size_t>(end - start));
  if (*start == '_' && only_connectors(word)) return;
  if (word.size() > kMaxWordCodePoints) {
    append_split(word, words);
  } else {
    words.push_back(word);
  }
}

constexpr std::size_t kChunk = 64;

/// Bits of the bytes of a chunk, the first byte's lowest.
struct ChunkBits {
  std::uint64_t word = 0;
  std::uint64_t mid = 0;
};

/// Of `size` bytes, up to a chunk.
ChunkBits classify(const char* bytes, std::size_t size) {
  ChunkBits bits;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint8_t kind = class_of(bytes[i]);
    bits.word |= std::uint64_t{(kind & kWord) != 0} << i;
    bits.mid |= std::uint64_t{(kind & kMid) != 0} << i;
  }
  return bits;
}

#ifdef __SSE2__
/// Of a whole chunk of ASCII.
ChunkBits classify(const char* bytes) {
  ChunkBits bits;
  for (int part = 0; part < 4; ++part) {
    const __m128i byte = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
    const auto is = [&](char wanted) { return _mm_cmpeq_epi8(byte, _mm_set1_epi8(wanted)); };
    const auto in = [](__m128i value, char first, char last) {
      return _mm_and_si128(_mm_cmpgt_epi8(value, _mm_set1_epi8(static_cast<char>(first - 1))),
                           _mm_cmplt_epi8(value, _mm_set1_epi8(static_cast<char>(last + 1))));
    };
    const __m128i lower = _mm_or_si128(byte, _mm_set1_epi8(0x20));
    const __m128i word =
        _mm_or_si128(_mm_or_si128(in(lower, 'a', 'z'), in(byte, '0', '9')), is('_'));
    const __m128i mid =
        _mm_or_si128(_mm_or_si128(is('\''), is('.')), _mm_or_si128(is(','), is(';')));
    bits.word |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(word))} << (16 * part);
    bits.mid |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(mid))} << (16 * part);
  }
  return bits;
}
#else
ChunkBits classify(const char* bytes) { return classify(bytes, kChunk); }
#endif

/// The words of ASCII text whose start and end are word boundaries: where a byte of a word and one
/// of none are neighbours, a word starts or ends.
void append_ascii_words(std::string_view text, std::vector<std::string_view>& words) {
  const char* const end = text.data() + text.size();
  const char* start = nullptr;  // of a word that has not ended
  for (const char* chunk = text.data(); chunk < end; chunk += kChunk) {
    const auto left = static_cast<std::size_t>(end - chunk);
    ChunkBits bits = left < kChunk ? classify(chunk, left) : classify(chunk);
    const std::uint64_t before = start != nullptr ? 1 : 0;
    const std::uint64_t behind = left > kChunk && (class_of(chunk[kChunk]) & kWord) != 0 ? 1 : 0;
    // A byte that may join its neighbours, if both are of words, is of a word if it does.
    std::uint64_t mids = bits.mid & (bits.word << 1 | before) & (bits.word >> 1 | behind << 63);
    for (; mids != 0; mids &= mids - 1) {
      const int i = std::countr_zero(mids);
      if (joins(chunk + i)) bits.word |= std::uint64_t{1} << i;
    }
    for (std::uint64_t turns = bits.word ^ (bits.word << 1 | before); turns != 0;
         turns &= turns - 1) {
      const char* const turn = chunk + std::countr_zero(turns);
      if (start == nullptr) {
        start = turn;
      } else {
        append_word(start, turn, words);
        start = nullptr;
      }
    }
  }
  if (start != nullptr) append_word(start, end, words);
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
