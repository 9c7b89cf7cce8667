// The ASCII fast path and the cache change no term: compared with ICU and Snowball word by word.
#include <algorithm>

#include "analysis/analysis_path.hpp"
#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using analysis::AnalysisPath;
using test::make_english_analyzer;
using test::make_standard_analyzer;
using test::terms_of;

constexpr AnalysisPath kSlow = {.ascii_fast_path = false, .cache_slot_bits = 0};
constexpr AnalysisPath kOld = {.version = 1};
constexpr AnalysisPath kOldSlow = {.version = 1, .ascii_fast_path = false, .cache_slot_bits = 0};

const std::vector<std::string_view> kAscii = {
    "a", "b", "z", "A",  "Q", "s", "S", "0",  "1", "9", "'", "'",  ".", ".",   ",", ";",
    ":", "_", "_", "\"", "@", "-", "#", "$",  "%", " ", " ", "\t", "(", "\n",  "/", "\r\n",
    "!", "&", "*", "+",  "<", "=", "[", "\\", "^", "`", "{", "|",  "~", "\x7f"};

const std::vector<std::string_view> kMixed = {
    "a",      "s",      "T",      "7",      "0",         "'",      ".",      ",",      "_",
    "\"",     "@",      ":",      " ",      " ",         " ",      "(",      "\n",     "\r",
    "é",      "Ü",      "ß",      "İ",      "ς",         "ж",      "–",      "’",      "“",
    "\u00A0", "\u00AD", "\u0301", "\u200D", "\u200C",    "\uFE0F", "\u2028", "\u3000", "\uFF07",
    "א",      "״",      "ش",      "\u0600", "٣",         "カ",     "ひ",     "漢",     "字",
    "ส",      "ว",      "ั",       "한",     "😀",         "🏽",   "🇩",      "🇪",      "©",
    "‿",      "\uFF1A", "\uFF20", "𠀀",     "\U000E0041"};

void expect_same(Analyzer& fast, Analyzer& slow, std::string_view text) {
  ASSERT_EQ(terms_of(fast, text), terms_of(slow, text)) << "text: " << text;
}

void compare_random(const std::vector<std::string_view>& pieces, std::uint64_t stream) {
  auto generator = test::generator(stream);
  std::uniform_int_distribution<std::size_t> length(0, 60);
  const auto fast = make_standard_analyzer(), slow = make_standard_analyzer(kSlow);
  const auto fast_english = make_english_analyzer(), slow_english = make_english_analyzer(kSlow);
  const auto old_fast = make_english_analyzer(kOld), old_slow = make_english_analyzer(kOldSlow);
  for (int round = 0; round < 20'000 && !testing::Test::HasFatalFailure(); ++round) {
    const std::string text = test::random_text(generator, pieces, length(generator));
    expect_same(*fast, *slow, text);
    expect_same(*fast_english, *slow_english, text);
    expect_same(*old_fast, *old_slow, text);
  }
}

TEST(AnalysisPaths, AgreeOnRandomAscii) { compare_random(kAscii, 1); }
TEST(AnalysisPaths, AgreeOnRandomMixedText) { compare_random(kMixed, 2); }

TEST(AnalysisPaths, AgreeOnEveryTripleOfAsciiBytesInsideWords) {
  const auto fast = make_standard_analyzer(), slow = make_standard_analyzer(kSlow);
  std::string text;
  for (const char* around : {"a", "1"}) {
    for (int first = 0; first < 128; ++first) {
      text.clear();
      for (int second = 0; second < 128; ++second) {
        text += around;
        text += static_cast<char>(first);
        text += static_cast<char>(second);
        text += around;
        text += " ";
      }
      expect_same(*fast, *slow, text);
    }
  }
}

TEST(AnalysisPaths, AgreeOnLongRuns) {
  const auto fast = make_standard_analyzer(), slow = make_standard_analyzer(kSlow);
  for (const std::string_view piece : {"a", "_", "a.", "1,", "a'", "é", "aé", "é ", "' ", "_é"}) {
    for (const std::size_t count : {126, 127, 128, 254, 255, 256, 257, 510, 511, 5000}) {
      expect_same(*fast, *slow, test::repeat(piece, count));
    }
  }
}

void compare_real(const char* file, std::size_t bytes) {
  const std::string all = test::read_file(test::data_folder() / file);
  const std::string_view text = std::string_view(all).substr(0, all.rfind('\n', bytes));
  const auto fast = make_english_analyzer();
  const auto slow = make_english_analyzer(kSlow);
  const auto tiny_cache = make_english_analyzer({.ascii_fast_path = true, .cache_slot_bits = 4});
  const auto fast_standard = make_standard_analyzer(),
             slow_standard = make_standard_analyzer(kSlow);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const auto expected = terms_of(*slow, line);
    ASSERT_EQ(terms_of(*fast, line), expected) << "text: " << line;
    ASSERT_EQ(terms_of(*tiny_cache, line), expected) << "text: " << line;
    ASSERT_EQ(terms_of(*fast_standard, line), terms_of(*slow_standard, line)) << "text: " << line;
    start = end + 1;
  }
  EXPECT_EQ(terms_of(*fast, text), terms_of(*slow, text)) << "as one text, in pieces for ICU";
}

TEST(AnalysisPaths, AgreeOnWikipedia) {
  WARPDEX_NEEDS_DATA("text/wiki25k.jsonl.xz");
  compare_real("text/wiki25k.jsonl.xz", 2'000'000);
}

TEST(AnalysisPaths, AgreeOnArxiv) {
  WARPDEX_NEEDS_DATA("text/arxiv59k.jsonl.xz");
  compare_real("text/arxiv59k.jsonl.xz", 1'000'000);
}

TEST(AnalysisPaths, ViewsOutliveCacheAndStorageThatFillUp) {
  auto generator = test::generator(3);
  std::uniform_int_distribution<int> letter('a', 'z'), length(1, 40);
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    for (int n = length(generator); n > 0; --n) text += static_cast<char>(letter(generator));
    text += ' ';
  }
  const auto cached = make_english_analyzer({.ascii_fast_path = true, .cache_slot_bits = 8});
  const auto plain = make_english_analyzer(kSlow);
  for (int round = 0; round < 3; ++round) expect_same(*cached, *plain, text);
}

}  // namespace
}  // namespace warpdex
