// Version 2 of "english" and "standard": all forms of a word are one, and what nobody sees is left
// out. Version 1 stays as it was.
#include <unicode/normalizer2.h>

#include <array>

#include "analysis/analysis_path.hpp"
#include "analysis/one_form.hpp"
#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using Terms = std::vector<std::string>;
using analysis::OneForm;

Terms terms_by(const AnalyzerSettings& analyzer, std::string_view text) {
  return test::terms_of(*make_analyzer(analyzer), text);
}
Terms standard_terms(std::string_view text) { return terms_by("standard", text); }
Terms english_terms(std::string_view text) { return terms_by("english", text); }
Terms old_standard_terms(std::string_view text) { return terms_by({"standard", 1}, text); }

/// What nobody sees, of every kind: hyphens, spaces and joiners without width, marks of direction,
/// operators, selectors of variants, fillers, tags.
constexpr std::array<std::string_view, 19> kUnseen = {
    "\u00AD", "\u034F", "\u061C", "\u115F", "\u17B4",    "\u180E", "\u200B",
    "\u200C", "\u200D", "\u200E", "\u200F", "\u202A",    "\u202C", "\u2060",
    "\u2063", "\u2066", "\uFE0F", "\uFEFF", "\U000E0061"};

TEST(OneFormOfWords, LeavesOutWhatNobodySees) {
  for (const std::string_view unseen : kUnseen) {
    const std::string mark(unseen);
    EXPECT_EQ(standard_terms("light" + mark + "house"), Terms{"lighthouse"}) << mark;
    EXPECT_EQ(standard_terms(mark + "light" + mark + " " + mark + "house" + mark),
              (Terms{"light", "house"}));
    EXPECT_EQ(english_terms("sail" + mark + "or" + mark + "s'" + mark + "s"), Terms{"sailor"});
    EXPECT_EQ(english_terms("th" + mark + "e"), Terms{}) << "a stop word";
    EXPECT_EQ(standard_terms(mark), Terms{});
    EXPECT_EQ(standard_terms("3" + mark + ".14 can" + mark + "'t"), (Terms{"3.14", "can't"}));
  }
}

TEST(OneFormOfWords, TakesAWordInEveryFormForOne) {
  const auto expect_one = [](const std::vector<std::string>& forms, const std::string& term) {
    for (const std::string& form : forms) EXPECT_EQ(standard_terms(form), Terms{term}) << form;
  };
  expect_one({"café", "cafe\u0301", "CAFÉ", "CAFE\u0301", "ｃａｆé", "ＣＡＦＥ\u0301"}, "café");
  expect_one({"ships", "ＳＨＩＰＳ", "ｓｈｉｐｓ", "𝐬𝐡𝐢𝐩𝐬", "ⓢⓗⓘⓟⓢ"}, "ships");
  expect_one({"fish", "ﬁsh", "FISH"}, "fish");
  expect_one({"σοφοσ", "ΣΟΦΟΣ", "σοφος"}, "σοφοσ");
  expect_one({"жук", "ЖУК"}, "жук");
  expect_one({"strasse", "straße", "STRASSE", "STRAẞE"}, "strasse");
  expect_one({"å", "Å", "A\u030A", "\u212B"}, "å");
  expect_one({"q\u0323\u0307", "q\u0307\u0323"}, "q\u0323\u0307");
  expect_one({"한국어", "\u1112\u1161\u11AB\u1100\u116E\u11A8\u110B\u1165"}, "한국어");
  expect_one({"カタカナ", "ｶﾀｶﾅ"}, "カタカナ");
  expect_one({"ガ", "ｶﾞ", "カ\u3099"}, "ガ");
  expect_one({"2026", "２０２６"}, "2026");
  expect_one({"o'neill", "ｏ＇ｎｅｉｌｌ"}, "o'neill");
  EXPECT_EQ(english_terms("Ｓｈｉｐ＇ｓ"), Terms{"ship"});
  EXPECT_EQ(english_terms("ｔｈｅ"), Terms{}) << "a stop word";
  EXPECT_EQ(standard_terms("ａ：ｂ ａ＠ｂ a:b"), (Terms{"a", "b", "a", "b", "a", "b"}));
}

TEST(OneFormOfWords, KeepsAccentsAndDots) {
  EXPECT_EQ(standard_terms("cafe café"), (Terms{"cafe", "café"}));
  EXPECT_EQ(standard_terms("İ I ı i"), (Terms{"i\u0307", "i", "ı", "i"}));
  EXPECT_EQ(standard_terms("İstanbul"), Terms{"i\u0307stanbul"});
}

TEST(OneFormOfWords, JoinsNothingThatIsNoLetter) {
  EXPECT_EQ(standard_terms("Warpdex™ 3½ 5㎏ x² word¹"), (Terms{"warpdex", "3", "5", "x", "word"}));
  EXPECT_EQ(standard_terms("ship 😀 👍🏽 👩\u200D🚀 ❤\uFE0F 🇩🇪 sea"),
            (Terms{"ship", "sea"}));
  EXPECT_EQ(standard_terms("1\uFE0F\u20E3"), Terms{"1\u20E3"}) << "a keycap is a digit";
  for (const std::string& term : standard_terms("محمد ﷺ")) {
    EXPECT_EQ(term.find(' '), std::string::npos) << term;
  }
}

TEST(OneFormOfWords, IsThatOfVersion2Alone) {
  EXPECT_EQ(old_standard_terms("co\u00ADoperate"), Terms{"co\u00ADoperate"});
  EXPECT_EQ(old_standard_terms("light\u200Bhouse"), (Terms{"light", "house"}));
  EXPECT_EQ(old_standard_terms("cafe\u0301 ＳＨＩＰＳ ﬁsh"),
            (Terms{"cafe\u0301", "ｓｈｉｐｓ", "fish"}));
  EXPECT_EQ(terms_by({"english", 1}, "Ｓｈｉｐ＇ｓ"), Terms{"ｓｈｉｐ＇ｓ"});
  EXPECT_EQ(terms_by("whitespace", "co\u00ADop cafe\u0301"), (Terms{"co\u00ADop", "cafe\u0301"}));
  EXPECT_EQ(newest_analyzer_version("english"), 2U);
  EXPECT_EQ(newest_analyzer_version("standard"), 2U);
  EXPECT_EQ(newest_analyzer_version("whitespace"), 1U);
  EXPECT_EQ(AnalyzerSettings("english"), AnalyzerSettings("english", 2));
  for (const std::uint32_t version : {0, 3}) {
    EXPECT_THROW(make_analyzer({"english", version}), UsageError);
  }
  EXPECT_THROW(make_analyzer({"whitespace", 2}), UsageError);
}

std::string in_form(const icu::Normalizer2* form, const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string changed;
  form->normalize(icu::UnicodeString::fromUTF8(text), status).toUTF8String(changed);
  EXPECT_TRUE(U_SUCCESS(status));
  return changed;
}

const std::vector<std::string_view> kPieces = {
    "a",      "s",      "E",      "7",      "'",      ".",      " ",  " ",  "\n",
    "é",      "Ü",      "ß",      "İ",      "ς",      "’s",     "™",  "½",  "\u0301",
    "\u0323", "\u0307", "\u05B8", "א",      "ش",      "\u064B", "カ", "ひ", "漢",
    "\u3099", "한",     "각",     "\u1100", "\u1161", "\u11A8", "ส",  "ว",  "ั",
    "ำ",      "က",      "ဦ",      "\u212B", "\u2126", "ﬁ",      "Ａ", "：", "😀"};

TEST(OneFormOfWords, IsTheSameForEveryFormOfATextAndWithWhatNobodySees) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* composed = icu::Normalizer2::getNFCInstance(status);
  const icu::Normalizer2* decomposed = icu::Normalizer2::getNFDInstance(status);
  ASSERT_TRUE(U_SUCCESS(status));
  auto generator = test::generator(51);
  for (const char* name : {"standard", "english"}) {
    const auto analyzer = make_analyzer(name);
    for (int round = 0; round < 5000; ++round) {
      std::string text, strewn;
      for (std::uint64_t n = generator() % 30; n > 0; --n) {
        const std::string_view piece = kPieces[generator() % kPieces.size()];
        text += piece;
        strewn += piece;
        if (generator() % 3 == 0) strewn += kUnseen[generator() % kUnseen.size()];
      }
      const Terms expected = test::terms_of(*analyzer, text);
      ASSERT_EQ(test::terms_of(*analyzer, in_form(composed, text)), expected) << text;
      ASSERT_EQ(test::terms_of(*analyzer, in_form(decomposed, text)), expected) << text;
      ASSERT_EQ(test::terms_of(*analyzer, strewn), expected) << text;
    }
  }
}

TEST(OneForm, IsTheTextItselfWhereNothingChanges) {
  OneForm form;
  for (const std::string text : {"", "plain", "naïve café 日本語 한국어 😀"}) {
    const std::string_view view = text;
    EXPECT_EQ(form.of(view).data(), view.data()) << text;
  }
  EXPECT_EQ(form.of("e\u0301t\u00ADe\u0301"), "été");
}

TEST(OneForm, KnowsWhereEachPartStood) {
  OneForm form;
  // Offsets: "a" 0, U+00AD 1, "b" 3, "e" 4, U+0301 5, " " 7, U+200B 8, "c" 11, U+200B 12
  const std::string text = "a\u00ADbe\u0301 \u200Bc\u200B";
  ASSERT_EQ(form.of(text, true), "abé c");
  const std::vector<std::pair<std::size_t, std::size_t>> begins = {
      {0, 0}, {1, 3}, {2, 4}, {4, 7}, {5, 11}};
  for (const auto& [begin, original] : begins) EXPECT_EQ(form.original_begin(begin), original);
  const std::vector<std::pair<std::size_t, std::size_t>> ends = {
      {1, 1}, {2, 4}, {4, 7}, {5, 8}, {6, 12}};
  for (const auto& [end, original] : ends) EXPECT_EQ(form.original_end(end), original);
}

// Marks that ICU would put in order in quadratic time, and what nobody sees by the megabyte.
TEST(OneForm, TakesHostileTextInLinearTime) {
  std::string marks = "a";
  for (int i = 0; i < 500'000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0323";
  EXPECT_FALSE(standard_terms(marks).empty());
  EXPECT_EQ(standard_terms("a" + test::repeat("\u200B", 1'000'000) + "b"), Terms{"ab"});
}

}  // namespace
}  // namespace warpdex
