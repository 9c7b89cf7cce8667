// The two query syntaxes, with the real analyzers and against a plain splitter.
#include "warpdex/query/input/query_parser.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

/// The terms as text: "+must -not word", so that a test reads as its query does.
std::string parsed(const std::string& text, QuerySyntax syntax, std::string_view analyzer_name) {
  const auto analyzer = make_analyzer(analyzer_name);
  std::string joined;
  for (const QueryTerm& term : parse_query("1", text, syntax, *analyzer).terms) {
    if (!joined.empty()) joined += ' ';
    if (term.occur == Occur::kMust) joined += '+';
    if (term.occur == Occur::kMustNot) joined += '-';
    joined += term.term;
    if (term.weight != 1) joined += '^' + std::to_string(term.weight);
  }
  return joined;
}

std::string plain(const std::string& text, std::string_view analyzer = "english") {
  return parsed(text, QuerySyntax::kPlain, analyzer);
}
std::string with_signs(const std::string& text, std::string_view analyzer = "english") {
  return parsed(text, QuerySyntax::kSigned, analyzer);
}

TEST(QueryParser, PlainTakesSignsForPunctuation) {
  EXPECT_EQ(plain("griffith observatory"), "griffith observatori");
  EXPECT_EQ(plain("+griffith -observatory"), "griffith observatori");
  EXPECT_EQ(plain("mother-in-law"), "mother law");
  EXPECT_EQ(plain(" - + -- "), "");
  EXPECT_EQ(plain(""), "");
  EXPECT_EQ(plain("+must -not - a+b", "whitespace"), "+must -not - a+b");
}

TEST(QueryParser, SignedGivesSignsToWords) {
  EXPECT_EQ(with_signs("+griffith -observatory tower"), "+griffith -observatori tower");
  EXPECT_EQ(with_signs("tower +griffith"), "tower +griffith");
  EXPECT_EQ(with_signs("\t+a\v-b\fc\r\nd", "whitespace"), "+a -b c d");
  EXPECT_EQ(with_signs("+\"Griffith\" -(Park)"), "+griffith -park");
  EXPECT_EQ(with_signs("-only -negative"), "-onli -negat");
}

TEST(QueryParser, AWordThatAnalysisSplitsGivesItsSignToEachPart) {
  EXPECT_EQ(with_signs("+foo-bar baz"), "+foo +bar baz");
  EXPECT_EQ(with_signs("-foo/bar+qux"), "-foo -bar -qux");
  EXPECT_EQ(with_signs("foo-bar +qux"), "foo bar +qux");
}

TEST(QueryParser, ExcludedWordsOfSeveralTermsAreNumbered) {
  const auto analyzer = make_analyzer("english");
  const Query query =
      parse_query("1", "-foo-bar baz-qux +a1-b1 -one -x1/y1", QuerySyntax::kSigned, *analyzer);
  std::vector<std::uint32_t> words;
  for (const QueryTerm& term : query.terms) words.push_back(term.word);
  EXPECT_EQ(words, (std::vector<std::uint32_t>{1, 1, 0, 0, 0, 0, 0, 2, 2}));
}

TEST(QueryParser, OnlyTheFirstSignOfAWordCounts) {
  EXPECT_EQ(with_signs("--foo"), "-foo");
  EXPECT_EQ(with_signs("-+foo +-bar"), "-foo +bar");
  EXPECT_EQ(with_signs("--foo +-bar", "whitespace"), "--foo +-bar");  // of terms "-foo", "-bar"
}

TEST(QueryParser, ASignAloneAndAStopWordAreNothing) {
  EXPECT_EQ(with_signs("+ griffith"), "griffith");
  EXPECT_EQ(with_signs("griffith - "), "griffith");
  EXPECT_EQ(with_signs("+"), "");
  EXPECT_EQ(with_signs("+the +griffith -and"), "+griffith");
  EXPECT_EQ(with_signs("+!!! ok"), "ok");
  EXPECT_EQ(with_signs(""), "");
  EXPECT_EQ(with_signs(" \n\t"), "");
}

TEST(QueryParser, RepeatedTermsStandAsOftenAsWritten) {
  EXPECT_EQ(plain("to be run running runs"), "run run run");
  EXPECT_EQ(with_signs("run +run run"), "run +run run");
}

TEST(QueryParser, KeepsTheIdAndAThousandTerms) {
  const auto analyzer = make_analyzer("whitespace");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "+t" + std::to_string(i) + " ";
  const Query query = parse_query("Q-7", text, QuerySyntax::kSigned, *analyzer);
  EXPECT_EQ(query.id, "Q-7");
  ASSERT_EQ(query.terms.size(), 1000U);
  EXPECT_EQ(query.terms[999], (QueryTerm{"t999", Occur::kMust}));
}

TEST(QueryParser, WeightsBelongToTheirWords) {
  EXPECT_EQ(with_signs("sea^2.5 ships"), "sea^2.500000 ship");
  EXPECT_EQ(with_signs("old sea^2.5 ships +sail^0.125 -storm^9"),
            "old sea^2.500000 ship +sail^0.125000 -storm");
  EXPECT_EQ(with_signs("foo-bar^3 x"), "foo^3.000000 bar^3.000000 x");
  EXPECT_EQ(with_signs("##ing^1.5 ^^2 [SEP]^1e1 a", "whitespace"),
            "##ing^1.500000 ^^2.000000 [SEP]^10.000000 a");
  EXPECT_EQ(with_signs("sea^0 old"), "old") << "of weight 0: left out";
  EXPECT_EQ(with_signs("-sea^0 old"), "-sea old");
  EXPECT_EQ(with_signs("sea^1 ship"), "sea ship");
}

TEST(QueryParser, WhatMustBeThereHasAWeight) {
  const auto analyzer = make_analyzer("english");
  for (const std::string weight : {"0", "0.0", "-0"}) {
    try {
      parse_query("q7", "old +sea^" + weight, QuerySyntax::kSigned, *analyzer);
      FAIL() << weight;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("query q7: '+sea^0' asks for a word that must be"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(with_signs("+sea^1e-9 old"), "+sea^0.000000 old");
}

TEST(QueryParser, WhatIsNoWeightIsAWord) {
  for (const std::string word :
       {"^2", "a^", "a^b", "a^2x", "a^info", "a^nano", "^inf", "^", "a^0x10", "a^+2", "a^1e"}) {
    EXPECT_EQ(with_signs(word, "whitespace"), word);
  }
  EXPECT_EQ(plain("sea^2", "whitespace"), "sea^2");
  const auto analyzer = make_analyzer("whitespace");
  for (const std::string text : {"b a^-1", "a^1e10", "a^1e-10", "a^1e999", "+a^-0.5", "a^nan",
                                 "a^NaN", "a^-inf", "a^+Infinity"}) {
    try {
      parse_query("q7", text, QuerySyntax::kSigned, *analyzer);
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("query q7: the weight behind 'a^' is not 0"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(QueryParser, WithoutSignsBothSyntaxesAgree) {
  auto random = test::generator(3);
  const std::vector<std::string> pieces = {"running", "Straße", "東京",        "U.S.",
                                           "don't",   "x-ray",  "e\u0301tude", "\u0301",
                                           "42",      "the",    "naïve",       "a+b"};
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (std::uint64_t words = random() % 12; words > 0; --words) {
      text += pieces[random() % pieces.size()] + std::string(random() % 3, ' ') + "\t";
    }
    ASSERT_EQ(with_signs(text), plain(text)) << text;
    ASSERT_EQ(with_signs(text, "standard"), plain(text, "standard")) << text;
  }
}

TEST(QueryParser, SignedWhitespaceAgreesWithASplitter) {
  auto random = test::generator(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::uint64_t size = random() % 40; size > 0; --size) text += "ab+- \t"[random() % 6];
    std::string expected;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "+" || word == "-") continue;
      expected += (expected.empty() ? "" : " ") + word;
    }
    ASSERT_EQ(with_signs(text, "whitespace"), expected) << "'" << text << "'";
  }
}

TEST(QueryParser, BytesThatAreNotUtf8NameTheQueryAndTheByte) {
  const auto analyzer = make_analyzer("english");
  for (const auto syntax : {QuerySyntax::kPlain, QuerySyntax::kSigned}) {
    try {
      parse_query("12", "fine +caf\xE9 -x", syntax, *analyzer);
      FAIL() << "took bytes that are not UTF-8";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("query 12"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("9"), std::string::npos) << error.what();
    }
    EXPECT_THROW(parse_query("", "\xFF", syntax, *analyzer), InputError);
  }
}

TEST(QueryParser, RefusesQueriesBeyondTheLimits) {
  const auto analyzer = make_analyzer("whitespace");
  const auto complaint = [&](const QueryText& query, const QueryLimits& limits) -> std::string {
    try {
      parse_query(query, QuerySyntax::kPlain, *analyzer, limits);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const QueryText words{.id = "7", .text = "a b c a b c"};
  EXPECT_EQ(complaint(words, {.bytes = 11, .terms = 3}), "");
  EXPECT_EQ(complaint(words, {.bytes = 10, .terms = 3}),
            "query 7: its text has more than 10 bytes; shorten it");
  EXPECT_EQ(complaint(words, {.bytes = 11, .terms = 2}),
            "query 7: it has more than 2 different terms; leave some out");
  const QueryText vector{.id = "8", .is_vector = true, .vector = {{"a"}, {"b"}, {"c"}}};
  EXPECT_EQ(complaint(vector, {.terms = 3}), "");
  EXPECT_EQ(complaint(vector, {.terms = 2}),
            "query 8: it has more than 2 different terms; leave some out");
  // Those that a query has unless told otherwise.
  std::string text;
  for (int i = 0; i < 65'536; ++i) text += std::to_string(i) + ' ';
  EXPECT_EQ(complaint({.id = "9", .text = text}, {}), "");
  EXPECT_EQ(complaint({.id = "9", .text = text + "x"}, {}),
            "query 9: it has more than 65536 different terms; leave some out");
}

TEST(QueryParser, Names) {
  EXPECT_EQ(query_syntax_from_name("plain"), QuerySyntax::kPlain);
  EXPECT_EQ(query_syntax_from_name("signed"), QuerySyntax::kSigned);
  EXPECT_THROW(query_syntax_from_name("solr"), UsageError);
}

TEST(QueryParser, LeavesOutWordsThatAreTooLong) {
  const auto analyzer = make_analyzer("whitespace");
  const std::string longer(65'536, 'x');
  for (const QuerySyntax syntax : {QuerySyntax::kPlain, QuerySyntax::kSigned}) {
    const Query query =
        parse_query("1", "sea " + longer + " ship " + longer + "y", syntax, *analyzer);
    EXPECT_EQ(query.long_words, 2U);
    ASSERT_EQ(query.terms.size(), 2U);
    EXPECT_EQ(query.terms[0].term, "sea");
    EXPECT_EQ(query.terms[1].term, "ship");
  }
  EXPECT_EQ(parse_query("1", "+" + longer + " old", QuerySyntax::kSigned, *analyzer).terms.size(),
            1U);
  EXPECT_EQ(parse_query("1", "sea", QuerySyntax::kPlain, *analyzer).long_words, 0U);
}

// Queries go through the version of the index's analyzer.
TEST(QueryParser, TakesTheVersionOfTheAnalyzer) {
  const auto term = [](const AnalyzerSettings& analyzer, const std::string& text) {
    const auto made = make_analyzer(analyzer);
    const Query query = parse_query("1", text, QuerySyntax::kSigned, *made);
    return query.terms.size() == 1 ? query.terms[0].term : "not one term";
  };
  EXPECT_EQ(term("standard", "+co\u00ADoperate"), "cooperate");
  EXPECT_EQ(term({"standard", 1}, "+co\u00ADoperate"), "co\u00ADoperate");
}

}  // namespace
}  // namespace warpdex
