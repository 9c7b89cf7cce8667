// Takes accents from Latin letters, and writes those of their own in ASCII.
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <string>

#include "analysis/filters/filters.hpp"
#include "analysis/icu_status.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

struct AsciiLetter {
  char32_t letter;
  std::string_view ascii;
};

// Letters that Unicode does not decompose.
constexpr std::array kAsciiLetters = std::to_array<AsciiLetter>({
    {U'Æ', "AE"}, {U'Ð', "D"},  {U'Ø', "O"}, {U'Þ', "TH"}, {U'ß', "ss"}, {U'æ', "ae"}, {U'ð', "d"},
    {U'ø', "o"},  {U'þ', "th"}, {U'Đ', "D"}, {U'đ', "d"},  {U'Ħ', "H"},  {U'ħ', "h"},  {U'ı', "i"},
    {U'ĸ', "q"},  {U'Ł', "L"},  {U'ł', "l"}, {U'Ŋ', "N"},  {U'ŋ', "n"},  {U'Œ', "OE"}, {U'œ', "oe"},
    {U'Ŧ', "T"},  {U'ŧ', "t"},  {U'ƀ', "b"}, {U'Ɓ', "B"},  {U'Ɗ', "D"},  {U'Ɛ', "E"},  {U'ƒ', "f"},
    {U'Ɠ', "G"},  {U'Ɨ', "I"},  {U'Ƙ', "K"}, {U'ƙ', "k"},  {U'ƚ', "l"},  {U'Ɲ', "N"},  {U'Ƥ', "P"},
    {U'ƥ', "p"},  {U'ƫ', "t"},  {U'Ƭ', "T"}, {U'ƭ', "t"},  {U'Ʈ', "T"},  {U'Ʋ', "V"},  {U'Ƴ', "Y"},
    {U'ƴ', "y"},  {U'Ƶ', "Z"},  {U'ƶ', "z"}, {U'Ǥ', "G"},  {U'ǥ', "g"},  {U'ȷ', "j"},  {U'Ⱥ', "A"},
    {U'Ȼ', "C"},  {U'ȼ', "c"},  {U'Ƚ', "L"}, {U'Ⱦ', "T"},  {U'Ƀ', "B"},  {U'Ʉ', "U"},  {U'Ɇ', "E"},
    {U'ɇ', "e"},  {U'Ɉ', "J"},  {U'ɉ', "j"}, {U'Ɍ', "R"},  {U'ɍ', "r"},  {U'Ɏ', "Y"},  {U'ɏ', "y"},
    {U'ɓ', "b"},  {U'ɖ', "d"},  {U'ɗ', "d"}, {U'ɛ', "e"},  {U'ɠ', "g"},  {U'ɨ', "i"},  {U'ɲ', "n"},
    {U'ʈ', "t"},  {U'ʉ', "u"},  {U'ʋ', "v"}, {U'ẞ', "SS"}, {U'‘', "'"},  {U'’', "'"},  {U'ⱥ', "a"},
    {U'ⱦ', "t"},
});

constexpr bool are_in_order() {
  return std::ranges::is_sorted(kAsciiLetters, {}, &AsciiLetter::letter);
}
static_assert(are_in_order());

/// Empty for any other character.
std::string_view ascii_of(UChar32 c) {
  const auto found =
      std::ranges::lower_bound(kAsciiLetters, static_cast<char32_t>(c), {}, &AsciiLetter::letter);
  const bool is_there = found != kAsciiLetters.end() && found->letter == static_cast<char32_t>(c);
  return is_there ? found->ascii : std::string_view();
}

bool is_latin_letter(UChar32 c) {
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  require_icu(status, "tell the script of a character");
  return script == USCRIPT_LATIN;
}

class AsciiFolding final : public WordFilter {
 public:
  AsciiFolding() {
    UErrorCode status = U_ZERO_ERROR;
    decomposer_ = icu::Normalizer2::getNFDInstance(status);
    composer_ = icu::Normalizer2::getNFCInstance(status);
    require_icu(status, "prepare the folding of accents");
  }

  std::string_view apply(std::string_view word) override {
    if (ascii_prefix(word) == word.size()) return word;
    convert(*decomposer_, word, decomposed_);
    fold_decomposed();
    if (ascii_prefix(folded_) == folded_.size()) return folded_;
    convert(*composer_, folded_, composed_);  // the letters of other scripts
    return composed_;
  }

 private:
  static void convert(const icu::Normalizer2& form, std::string_view from, std::string& to) {
    to.clear();
    UErrorCode status = U_ZERO_ERROR;
    icu::StringByteSink<std::string> sink(&to);
    form.normalizeUTF8(0, icu::StringPiece(from.data(), static_cast<std::int32_t>(from.size())),
                       sink, nullptr, status);
    require_icu(status, "fold the accents of a word");
  }

  /// Leaves out marks behind Latin letters.
  void fold_decomposed() {
    folded_.clear();
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(decomposed_.data());
    bool is_behind_latin = false;
    for (std::size_t at = 0; at < decomposed_.size();) {
      const std::size_t begin = at;
      UChar32 c;
      U8_NEXT_UNSAFE(bytes, at, c);
      if (u_charType(c) == U_NON_SPACING_MARK) {
        if (!is_behind_latin) folded_.append(decomposed_, begin, at - begin);
        continue;
      }
      is_behind_latin = is_latin_letter(c);
      const std::string_view ascii = ascii_of(c);
      ascii.empty() ? folded_.append(decomposed_, begin, at - begin) : folded_.append(ascii);
    }
  }

  const icu::Normalizer2* decomposer_ = nullptr;  // ICU owns both
  const icu::Normalizer2* composer_ = nullptr;
  std::string decomposed_, folded_, composed_;
};

}  // namespace

std::unique_ptr<WordFilter> make_ascii_folding(const Part& /*part*/,
                                               const FilterContext& /*context*/) {
  return std::make_unique<AsciiFolding>();
}

}  // namespace warpdex::analysis
