// Analyzers as descriptions: what they accept, refuse, and are short for.
#include <gmock/gmock.h>
#include <unicode/translit.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex {
namespace {

using Terms = std::vector<std::string>;
using test::terms_of;
using ::testing::HasSubstr;

std::string refusal_of(const std::string& analyzer) {
  try {
    check_analyzer(analyzer);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Descriptions, NameWhatIsUnknownAndWhatThereIs) {
  EXPECT_THAT(refusal_of("{"), HasSubstr("no JSON at byte 1"));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("no member 'tokenizer'"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "pattern"})"),
              HasSubstr("the analyzer's tokenizer is the unknown 'pattern'; there are "
                        "icu_tokenizer, keyword, standard, whitespace"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filter": []})"),
              HasSubstr("unknown member 'filter'; there are tokenizer, filters"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filters": {}})"),
              HasSubstr("filters must be an array"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filters": ["lowercase", "stm"]})"),
              HasSubstr("the analyzer's filters[1] is the unknown 'stm'; there are apostrophe, "
                        "asciifolding, cjk_bigram"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filters": [{"language": "german"}]})"),
              HasSubstr("filters[0] has no member 'type'"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filters": [7]})"),
              HasSubstr("filters[0] must be a name"));
  EXPECT_THAT(
      refusal_of(R"({"tokenizer": "standard", "filters": [{"type": "stop", "word": ["a"]}]})"),
      HasSubstr("filters[0] ('stop') has the unknown parameter 'word'; there are words"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filters": ["stem"]})"),
              HasSubstr("filters[0] ('stem') needs the parameter 'language'"));
  EXPECT_THAT(
      refusal_of(R"({"tokenizer": "standard", "filters": [{"type": "stop", "words": [1]}]})"),
      HasSubstr("filters[0] ('stop'): 'words' must be a string, or an array of words"));
  EXPECT_THAT(
      refusal_of(
          R"({"tokenizer": "standard", "filters": [{"type": "stem", "language": "klingon"}]})"),
      HasSubstr("filters[0] ('stem'): there is no stemmer of the language 'klingon'; there are"));
  EXPECT_THAT(
      refusal_of(R"({"tokenizer": "standard", "filters": [{"type": "stop", "words": "german"}]})"),
      HasSubstr("filters[0] ('stop'): there is no list of words 'german'; there are _none_, "
                "_danish_"));
  EXPECT_THAT(refusal_of(R"({"tokenizer": "standard", "filters": ["cjk_bigram", "cjk_bigram"]})"),
              HasSubstr("filters[1] ('cjk_bigram'): there may be one only"));
  EXPECT_THAT(refusal_of("klingon"), HasSubstr("there is no analyzer 'klingon'; choose one of "
                                               "english, standard, whitespace, keyword"));
}

TEST(Descriptions, HaveOneForm) {
  const std::string form =
      R"({"tokenizer":"standard","filters":["lowercase",{"type":"stop","words":["a","ü"]}]})";
  EXPECT_EQ(canonical_analyzer(form).name, form);
  EXPECT_EQ(canonical_analyzer(R"( {"filters": [{"type": "lowercase"},
      {"words": ["a", "\u00fc"], "type": "stop"}], "tokenizer": {"type": "standard"}} )"),
            AnalyzerSettings(form));
  EXPECT_EQ(canonical_analyzer("german"), AnalyzerSettings("german"));
  EXPECT_EQ(canonical_analyzer(R"({"tokenizer": "icu_tokenizer"})").name,
            R"({"tokenizer":"standard","filters":[]})");
}

// What a name is short for gives the same terms as the name.
TEST(Descriptions, StandBehindNames) {
  std::mt19937_64 random = test::generator(113);
  const std::vector<std::string_view> parts{
      "the ",       "Sea's ",  "Running ",    "Ünïcode ", "ﬁsh ",    ".",        "can't ",
      "O’Neill’s ", "日本語 ", "co\u00ADop ", "dis ",     "Kinder ", "l'homme ", "\u0301"};
  for (const std::string& name : analyzer_names()) {
    const auto named = make_analyzer(name);
    const auto described = make_analyzer(
        AnalyzerSettings(analysis::write_description(analysis::describe(AnalyzerSettings(name)))));
    for (int i = 0; i < 100; ++i) {
      const std::string text = test::random_text(random, parts, random() % 20);
      ASSERT_EQ(terms_of(*described, text), terms_of(*named, text)) << name << ": " << text;
    }
  }
}

TEST(Descriptions, CompareStopWordsAsTheFiltersBeforeMakeThem) {
  const char* analyzer = R"({"tokenizer": "standard", "filters": ["lowercase", "asciifolding",
      {"type": "stop", "words": ["Être", "daß"]}]})";
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "être ÊTRE etre dass DASS das"), Terms{"das"});
  EXPECT_EQ(terms_of(AnalyzerSettings(R"({"tokenizer": "whitespace", "filters": [
      {"type": "stop", "words": ["to"]}]})"),
                     "to To be"),
            (Terms{"To", "be"}));
}

TEST(Descriptions, FoldAccentsOfLatinLettersAlone) {
  const char* analyzer = R"({"tokenizer": "standard", "filters": ["lowercase", "asciifolding"]})";
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "Café cafe\u0301 Ångström Łódź smørrebrød œuvre"),
            (Terms{"cafe", "cafe", "angstrom", "lodz", "smorrebrod", "oeuvre"}));
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "Đặng İstanbul ırmak"),
            (Terms{"dang", "istanbul", "irmak"}));
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "Ёлка ά हिन्दी שָׁלוֹם"),
            terms_of("standard", "Ёлка ά हिन्दी שָׁלוֹם"));
}

// Beside another table: ICU's transliteration, which also writes letters that are not folded here.
TEST(Descriptions, FoldLatinLettersAsIcuDoes) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::Transliterator> transliterator(
      icu::Transliterator::createInstance("Latin-ASCII", UTRANS_FORWARD, status));
  ASSERT_TRUE(U_SUCCESS(status));
  const auto analyzer =
      make_analyzer(R"({"tokenizer": "whitespace", "filters": ["asciifolding"]})");
  int folded = 0;
  for (UChar32 letter = 0x80; letter < 0x3'0000; ++letter) {
    if (uscript_getScript(letter, &status) != USCRIPT_LATIN || !u_isalpha(letter)) continue;
    icu::UnicodeString characters(letter);
    std::string text, expected;
    characters.toUTF8String(text);
    transliterator->transliterate(characters);
    characters.toUTF8String(expected);
    const Terms found = terms_of(*analyzer, text);
    ASSERT_EQ(found.size(), 1U);
    if (analysis::ascii_prefix(found[0]) < found[0].size()) continue;
    EXPECT_EQ(found[0], expected) << text;
    ++folded;
  }
  EXPECT_GT(folded, 500);
}

TEST(Descriptions, FoldPartsOfWordsWithoutStems) {
  const auto fold = [](const AnalyzerSettings& analyzer, std::string_view part) {
    return make_analyzer(analyzer)->fold(part);
  };
  EXPECT_EQ(fold("english", "Running"), "running");
  EXPECT_EQ(fold("english", "THE"), "the");
  EXPECT_EQ(fold("standard", "ＣＡＦＥ\u0301"), "café");
  EXPECT_EQ(fold("whitespace", "Tea Cup"), "Tea Cup");
  EXPECT_EQ(fold(R"({"tokenizer": "standard", "filters": ["lowercase", "asciifolding"]})", "É"),
            "e");
  EXPECT_EQ(fold("german", ""), "");
  EXPECT_THROW(fold("german", "\xFF"), InputError);
}

TEST(Descriptions, FindSymbolsAndEmojiOnRequest) {
  const char* analyzer =
      R"({"tokenizer": {"type": "standard", "symbols": true}, "filters": ["lowercase"]})";
  EXPECT_EQ(terms_of("standard", "I ❤ C++ at 5€ 👍🏽!"), (Terms{"i", "c", "at", "5"}));
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "I ❤\uFE0F C++ at 5€ 👍🏽!"),
            (Terms{"i", "❤", "c", "+", "+", "at", "5", "€", "👍🏽"}));
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "🇩🇪🇫🇷 (#a_b): x"),
            (Terms{"🇩🇪", "🇫🇷", "a_b", "x"}));
  EXPECT_EQ(terms_of(AnalyzerSettings(analyzer), "👩\u200D💻"), (Terms{"👩", "💻"}));
}

TEST(Languages, StemAndLeaveStopWordsOut) {
  EXPECT_EQ(terms_of("german", "Die Häuser und das Haus, daß"), (Terms{"haus", "haus"}));
  EXPECT_EQ(terms_of("french", "L'arbre et les arbres de l’État"),
            (Terms{"arbre", "le", "arbre", "état"}));
  EXPECT_EQ(terms_of("spanish", "los libros"), Terms{"libr"});
  EXPECT_EQ(terms_of("turkish", "ISPARTA İstanbul'da"), (Terms{"ıspar", "istanbul"}));
  EXPECT_EQ(terms_of("russian", "и книги книга"), (Terms{"книг", "книг"}));
  EXPECT_EQ(terms_of("keyword", "New York"), Terms{"New York"});
}

TEST(Languages, CutThaiByItsDictionary) {
  EXPECT_EQ(terms_of("thai", "ภาษาไทย"), (Terms{"ภาษา", "ไทย"}));
  EXPECT_EQ(terms_of("thai", "การทดสอบ ABC"), (Terms{"การ", "ทดสอบ", "abc"}));
}

}  // namespace
}  // namespace warpdex
