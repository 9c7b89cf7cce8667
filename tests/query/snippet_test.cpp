// Snippets: which piece of a text they are, and which words are marked.
#include "warpdex/query/snippet.hpp"

#include <gmock/gmock.h>

#include <array>

#include "tests/support.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/analysis/term_locator.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

std::string snippet(const std::string& text, const std::string& words, std::size_t max_bytes = 60,
                    const std::string& analyzer = "english") {
  SnippetMaker maker(analyzer, {max_bytes, "[", "]"});
  return maker.make(text, parse_query("1", words, QuerySyntax::kSigned, *make_analyzer(analyzer)));
}

TEST(Snippet, MarksWordsByTheirTerms) {
  EXPECT_EQ(snippet("The captain's Ships sailed.", "ship captain sailing"),
            "The [captain's] [Ships] [sailed].");
  EXPECT_EQ(snippet("The captain's Ships sailed.", "ship captain", 60, "standard"),
            "The captain's Ships sailed.");
  EXPECT_EQ(snippet("a-b a b", "a", 60, "whitespace"), "a-b [a] b");
  EXPECT_EQ(snippet("Straße und STRASSE", "strasse", 60, "standard"), "[Straße] und [STRASSE]");
  EXPECT_EQ(snippet("sea and land", "sea -land"), "[sea] and land");
  EXPECT_EQ(snippet("", "sea"), "");
  EXPECT_EQ(snippet("sea", ""), "sea");
}

TEST(Snippet, TakesThePieceWithTheMostTerms) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "filler ";
  text += "whale whale whale ";
  for (int i = 0; i < 20; ++i) text += "other ";
  text += "the captain saw a whale ";
  for (int i = 0; i < 20; ++i) text += "rest ";
  EXPECT_THAT(snippet(text, "whale captain"),
              testing::MatchesRegex("….*the \\[captain\\] saw a \\[whale\\].*…"));
  EXPECT_THAT(snippet(text, "whale"), testing::HasSubstr("[whale] [whale] [whale]"));
  EXPECT_THAT(snippet(text, "nothing"), testing::MatchesRegex("filler .*filler…"));
  EXPECT_THAT(snippet(text, "rest"), testing::MatchesRegex("….*\\[rest\\].*"));
}

TEST(Snippet, OfAnyTextIsWithinItsLength) {
  std::mt19937_64 random = test::generator(111);
  const std::vector<std::string> parts{"sea",    " ",   "ships ",  "Größe ",
                                       "日本語", "…",   "\n",      "x.y ",
                                       "--- ",   "an ", "sailed ", std::string(90, 'w')};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t n = random() % 60; n > 0; --n) text += parts[random() % parts.size()];
    const std::size_t max_bytes = random() % 120;
    const char* const analyzer = std::array{"english", "standard", "whitespace"}[random() % 3];
    std::string plain = snippet(text, "sea ship größe", max_bytes, analyzer);
    for (const char* mark : {"[", "]"}) {
      for (std::size_t at; (at = plain.find(mark)) != std::string::npos;) plain.erase(at, 1);
    }
    if (text.size() <= max_bytes) {
      EXPECT_EQ(plain, text);
      continue;
    }
    const std::string ellipsis = "…";
    std::string inner = plain;
    if (text.find(inner) == std::string::npos && inner.starts_with(ellipsis)) inner.erase(0, 3);
    if (text.find(inner) == std::string::npos && inner.ends_with(ellipsis)) {
      inner.resize(inner.size() - 3);
    }
    EXPECT_NE(text.find(inner), std::string::npos) << text << " | " << plain;
    // A word of the query is shown in any case. Ellipses that the text has, too, are still there.
    constexpr std::size_t kLongestWord = 8;
    EXPECT_LE(inner.size(), std::max(max_bytes, kLongestWord) + 2 * ellipsis.size()) << text;
  }
}

// The locator finds just the terms of the analyzer, in their order.
TEST(TermLocator, FindsTheAnalyzersTerms) {
  std::mt19937_64 random = test::generator(112);
  const std::vector<std::string> parts{"the ",   "Sea's ",     "3.14 ", "e-mail ", "Ünïcode ",
                                       "日本語", "ﬁsh ",       ".",     ",",       "\n",
                                       "can't ", "O’Neill’s ", "a:b "};
  for (const std::string& name : analyzer_names()) {
    const std::unique_ptr<Analyzer> analyzer = make_analyzer(name);
    TermLocator locator(name);
    for (int i = 0; i < 1000; ++i) {
      std::string text;
      for (std::uint64_t n = random() % 20; n > 0; --n) text += parts[random() % parts.size()];
      std::vector<std::string_view> wanted;
      analyzer->analyze(text, wanted);
      std::vector<std::string_view> found;
      const std::vector<LocatedTerm> terms = locator.locate(text);
      std::size_t end = 0;
      for (const LocatedTerm& term : terms) {
        found.push_back(term.term);
        EXPECT_GE(term.offset, end);
        end = term.offset + term.size;
      }
      EXPECT_LE(end, text.size());
      ASSERT_EQ(found, wanted) << name << ": " << text;
    }
  }
}

}  // namespace
}  // namespace warpdex
