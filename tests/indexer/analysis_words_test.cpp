// Words and case folding of the analyzer "standard", against published and hand-made examples.
#include <algorithm>
#include <numeric>

#include "analysis/icu_words.hpp"
#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using Terms = std::vector<std::string>;
using test::repeat;
using test::terms_of;

struct Example {
  const char* text;
  Terms terms;
};

void expect_standard(const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    EXPECT_EQ(terms_of("standard", example.text), example.terms) << example.text;
  }
}

TEST(StandardAnalyzer, FindsTheWordsOfTheAnnexsExamples) {
  expect_standard({
      {"The quick (“brown”) fox can’t jump 32.3 feet, right?",
       {"the", "quick", "brown", "fox", "can’t", "jump", "32.3", "feet", "right"}},
      {"can't", {"can't"}},
      {"e.g. www.example.com, 3,456.789", {"e.g", "www.example.com", "3,456.789"}},
      {"aujourd'hui l'objectif", {"aujourd'hui", "l'objectif"}},
      {"foo_bar _private 3_000 HAL9000 9a", {"foo_bar", "_private", "3_000", "hal9000", "9a"}},
      {"x-ray out-of-the-box", {"x", "ray", "out", "of", "the", "box"}},
      {"3.a a.3 a,b 1;2 'a' ''b''", {"3", "a", "a", "3", "a", "b", "1;2", "a", "b"}},
  });
}

TEST(StandardAnalyzer, TreatsColonAndAtAsSeparators) {
  expect_standard(
      {{"a:b 1:2 é:é", {"a", "b", "1", "2", "é", "é"}},
       {"someone@example.com @someone é@é @", {"someone", "example.com", "someone", "é", "é"}}});
}

TEST(StandardAnalyzer, KeepsNoPunctuationAlone) {
  expect_standard({{"", {}},
                   {" ", {}},
                   {"_ __ ___ ‿‿ - ... ?! $ %", {}},
                   {"_._ _'_ é __", {"é"}},
                   {"😀 👍🏽 ok 🇩🇪", {"ok"}}});
}

TEST(StandardAnalyzer, AttachesMarksToWhatStandsBeforeThem) {
  expect_standard(
      {{"e\u0301t\u0301 x", {"ét\u0301", "x"}}, {"a \u0301b (\u0301c", {"a", "b", "c"}}});
}

TEST(StandardAnalyzer, JoinsHebrewLettersOverQuotes) {
  expect_standard({{"צה\"ל a\"b", {"צה\"ל", "a", "b"}}});
}

TEST(StandardAnalyzer, FoldsCaseInFull) {
  expect_standard({{"Straße STRASSE straSSe", {"strasse", "strasse", "strasse"}},
                   {"ΣΊΣΥΦΟΣ Σίσυφος", {"σίσυφοσ", "σίσυφοσ"}},
                   {"İ", {"i\u0307"}},
                   {"ÉCOLE ﬁn ЖУК", {"école", "fin", "жук"}},
                   {"AZaz09[`{@", {"azaz09"}}});
}

TEST(StandardAnalyzer, KeepsLettersOfEveryScript) {
  expect_standard({{"한국어 단어", {"한국어", "단어"}}, {"カタカナ", {"カタカナ"}}});
  for (const char* text : {"日本語テキスト", "東京タワーひらがな", "สวัสดีครับ", "𠀀𠀁"}) {
    const Terms terms = terms_of("standard", text);
    EXPECT_FALSE(terms.empty()) << text;
    EXPECT_EQ(std::accumulate(terms.begin(), terms.end(), std::string()), text);
  }
}

TEST(StandardAnalyzer, TakesNulAndControlBytesAsSeparators) {
  const std::string text("a\0b\0\0c\x01é\0d\x7f", 13);
  EXPECT_EQ(terms_of("standard", text), (Terms{"a", "b", "c", "é", "d"}));
}

TEST(StandardAnalyzer, SplitsWordsAt255CodePoints) {
  for (const char* letter : {"x", "é", "ж"}) {
    for (const std::size_t length : {1, 127, 254, 255, 256, 509, 510, 511, 1000}) {
      Terms expected(length / 255, repeat(letter, 255));
      if (length % 255 != 0) expected.push_back(repeat(letter, length % 255));
      EXPECT_EQ(terms_of("standard", repeat(letter, length)), expected) << letter << length;
    }
  }
}

TEST(StandardAnalyzer, SplitsATokenOf100Megabytes) {
  const std::string text(100'000'000, 'x');
  std::vector<std::string_view> terms;
  make_analyzer("standard")->analyze(text, terms);
  ASSERT_EQ(terms.size(), (text.size() + 254) / 255);
  for (std::size_t i = 0; i + 1 < terms.size(); ++i) ASSERT_EQ(terms[i].size(), 255);
}

TEST(StandardAnalyzer, LosesNothingOfWordsLongerThanAPiece) {
  const std::string letters = repeat("é", 1'600'000);
  std::vector<std::string_view> terms;
  const auto analyzer = make_analyzer("standard");
  analyzer->analyze(letters, terms);
  std::size_t bytes = 0;
  for (const std::string_view term : terms) {
    ASSERT_LE(term.size(), 2 * 255);
    bytes += term.size();
  }
  EXPECT_EQ(bytes, letters.size());
}

TEST(IcuWords, FindsTheSameWordsInPiecesOfAnySize) {
  auto generator = test::generator(1);
  const std::vector<std::string_view> pieces = {"a", "bc",     "é", "1",  "'", ".", ",", " ",
                                                "’", "\u0301", "_", "\"", "א", "ж", "–", "\n"};
  for (int round = 0; round < 200; ++round) {
    // Words well below the piece's length, so that no piece is one word.
    std::string text;
    for (int i = 0; i < 40; ++i) text += test::random_text(generator, pieces, 6) + " ";
    std::vector<std::string_view> whole;
    analysis::IcuWords(2).append(text, whole);
    for (const std::size_t piece_bytes : {64, 65, 66, 67, 100, 128, 255}) {
      std::vector<std::string_view> words;
      analysis::IcuWords(2, false, piece_bytes).append(text, words);
      ASSERT_EQ(words, whole) << "pieces of " << piece_bytes << " bytes, text: " << text;
    }
  }
}

TEST(MakeAnalyzer, KnowsItsNames) {
  for (const std::string& name : analyzer_names()) EXPECT_NE(make_analyzer(name), nullptr);
  const std::vector<std::string> names = analyzer_names();
  for (const char* const name : {"english", "standard", "whitespace", "keyword", "cjk", "thai",
                                 "arabic", "french", "german", "yiddish"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  EXPECT_THROW(make_analyzer("German"), UsageError);
  EXPECT_THROW(make_analyzer(""), UsageError);
}

}  // namespace
}  // namespace warpdex
