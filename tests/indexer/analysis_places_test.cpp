// Where terms stand in a text: bytes and positions.
#include <gmock/gmock.h>

#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using ::testing::ElementsAre;

/// "term position begin-end" of each token.
std::vector<std::string> tokens_of(const AnalyzerSettings& analyzer, std::string_view text) {
  const auto made = make_analyzer(analyzer);
  std::vector<std::string_view> terms;
  std::vector<std::uint32_t> positions;
  const Analyzed placed = made->place(text, terms, positions);
  const std::vector<std::string> kept(terms.begin(), terms.end());
  EXPECT_EQ(positions.size(), kept.size());
  std::vector<Token> tokens;
  const Analyzed analyzed = made->locate(text, tokens);
  EXPECT_EQ(placed.positions, analyzed.positions);
  EXPECT_EQ(kept.size(), tokens.size());
  std::vector<std::string> shown;
  for (const Token& token : tokens) {
    EXPECT_EQ(kept.at(shown.size()), token.term);
    EXPECT_EQ(positions.at(shown.size()), token.position);
    shown.push_back(std::string(token.term) + " " + std::to_string(token.position) + " " +
                    std::to_string(token.begin) + "-" + std::to_string(token.end));
  }
  return shown;
}

std::uint32_t positions_of(const AnalyzerSettings& analyzer, std::string_view text) {
  std::vector<Token> tokens;
  return make_analyzer(analyzer)->locate(text, tokens).positions;
}

TEST(AnalysisPlaces, LeaveGapsForStopWords) {
  EXPECT_THAT(tokens_of("english", "The ships of the Sea's captain"),
              ElementsAre("ship 1 4-9", "sea 4 17-22", "captain 5 23-30"));
  EXPECT_EQ(positions_of("english", "sailing to the"), 3U);
  EXPECT_EQ(positions_of("english", ""), 0U);
  EXPECT_THAT(tokens_of("whitespace", " a  b"), ElementsAre("a 0 1-2", "b 1 4-5"));
  EXPECT_THAT(tokens_of("keyword", " a  b"), ElementsAre(" a  b 0 0-5"));
}

TEST(AnalysisPlaces, LeaveAGapForALongWord) {
  const std::string text = "a " + std::string(kMaxTermBytes + 1, 'w') + " b";
  const auto analyzer = make_analyzer("whitespace");
  std::vector<Token> tokens;
  const Analyzed analyzed = analyzer->locate(text, tokens);
  EXPECT_EQ(analyzed.positions, 3U);
  EXPECT_EQ(analyzed.long_words, 1U);
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[1].position, 2U);
}

TEST(AnalysisPlaces, ArePairsOfCharacters) {
  EXPECT_THAT(tokens_of("cjk", "多くの学生"),
              ElementsAre("多く 0 0-6", "くの 1 3-9", "の学 2 6-12", "学生 3 9-15"));
  EXPECT_THAT(tokens_of("cjk", "the 学 is Ｒed 学生x"),
              ElementsAre("学 1 4-7", "red 3 11-16", "学生 4 17-23", "x 5 23-24"));
  EXPECT_THAT(tokens_of("cjk", "ｶﾞﾗｽ 학교"),
              ElementsAre("ガラ 0 0-12", "ラス 1 0-12", "학교 2 13-19"));
  EXPECT_THAT(
      tokens_of(R"({"tokenizer": "standard", "filters": ["lowercase",
                            {"type": "cjk_bigram", "output_unigrams": true}]})",
                "東京都 a"),
      ElementsAre("東 0 0-3", "東京 0 0-6", "京 1 3-6", "京都 1 3-9", "都 2 6-9", "a 3 10-11"));
  EXPECT_EQ(positions_of("cjk", "東京都 a the"), 4U);
}

// The tokens are just the analyzer's terms, and what stands at their places gives them again.
TEST(AnalysisPlaces, BelongToTheTermsOfRandomTexts) {
  std::mt19937_64 random = test::generator(112);
  const std::vector<std::string_view> parts{
      "the ",   "Sea's ", "3.14 ",   "e-mail ",  "Ünïcode ",    "ﬁsh ",       ".",
      ",",      "\n",     "can't ",  "a:b ",     "\u0301",      "O’Neill’s ", "\u0323",
      "\u00AD", "\u200B", "日本語 ", "ภาษาไทย ", "한 ",         "😀 ",         "€ ",
      "ø ",     "die ",   "Häuser ", "L’avion ", "İstanbul'da "};
  for (const AnalyzerSettings& settings :
       {AnalyzerSettings("english"), AnalyzerSettings("standard"), AnalyzerSettings("whitespace"),
        AnalyzerSettings("english", 1), AnalyzerSettings("standard", 1), AnalyzerSettings("german"),
        AnalyzerSettings("french"), AnalyzerSettings("turkish"), AnalyzerSettings("thai"),
        AnalyzerSettings(R"({"tokenizer": {"type": "standard", "symbols": true},
                             "filters": ["asciifolding", "lowercase"]})")}) {
    const auto analyzer = make_analyzer(settings), alone = make_analyzer(settings);
    std::vector<Token> tokens;
    for (int i = 0; i < 500; ++i) {
      const std::string text = test::random_text(random, parts, random() % 20);
      const std::vector<std::string> wanted = test::terms_of(*analyzer, text);
      const Analyzed analyzed = analyzer->locate(text, tokens);
      ASSERT_EQ(tokens.size(), wanted.size()) << settings.name << ": " << text;
      std::size_t end = 0;
      std::uint32_t position = 0;
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        const Token& token = tokens[t];
        ASSERT_EQ(token.term, wanted[t]) << settings.name << ": " << text;
        EXPECT_GE(token.begin, end);
        EXPECT_GE(token.position, position);
        end = token.end;
        position = token.position + 1;
        const std::string_view there =
            std::string_view(text).substr(token.begin, end - token.begin);
        const std::vector<std::string> again = test::terms_of(*alone, there);
        EXPECT_TRUE(!again.empty() && again[0] == token.term) << token.term << " in " << text;
      }
      EXPECT_LE(end, text.size());
      EXPECT_LE(position, analyzed.positions);
    }
  }
}

}  // namespace
}  // namespace warpdex
