// Snippets: which piece of a text they are, and which words are marked.
#include "warpdex/query/snippet.hpp"

#include <gmock/gmock.h>

#include <array>

#include "tests/support.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

Snippet made(const std::string& text, const std::string& words, const SnippetSettings& settings,
             const AnalyzerSettings& analyzer) {
  const auto parser = make_analyzer(analyzer);
  return SnippetMaker(analyzer, settings)
      .make(text, parse_query("1", words, QuerySyntax::kSigned, *parser));
}

std::string snippet(const std::string& text, const std::string& words, std::size_t max_bytes = 60,
                    const AnalyzerSettings& analyzer = "english") {
  return made(text, words, {max_bytes, "[", "]", false}, analyzer).text;
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

TEST(Snippet, MarksPhrasesAsWholes) {
  const auto marked = [](const std::string& text, const std::string& query,
                         std::size_t max_bytes = 100) {
    const auto analyzer = make_analyzer("english");
    const Query parsed =
        parse_query("1", query, QuerySyntax::kLucene, *analyzer, {}, QueryMode::kOr, true);
    return SnippetMaker("english", {max_bytes, "[", "]", false}).make(text, parsed).text;
  };
  const std::string text = "An old sea. The old Ships of the sea, a ship and the old ships.";
  EXPECT_EQ(marked(text, "\"old ship\""),
            "An old sea. The [old Ships] of the sea, a ship and the [old ships].");
  EXPECT_EQ(marked(text, "\"ships of the sea\" old"),
            "An [old] sea. The [old] [Ships of the sea], a ship and the [old] ships.");
  EXPECT_EQ(marked(text, "\"old ships\" ship -\"an old sea\""),
            "An old sea. The [old Ships] of the sea, a [ship] and the [old ships].");
  EXPECT_EQ(marked(text, "\"sea ship\"~5"),
            "An old [sea. The old Ships of the sea, a ship] and the old ships.");
  EXPECT_EQ(marked("a ship so old that no ship is older: old ship", "\"old ship\"", 20),
            "…[old ship]");
  EXPECT_EQ(marked("nothing old", "\"old ship\""), "nothing old");
}

TEST(Snippet, MarksWordsInAnyFormAsTheyStand) {
  EXPECT_EQ(
      snippet("a cafe\u0301, a light\u200Bhouse\u00AD and ＳＨＩＰＳ", "café lighthouse ship"),
      "a [cafe\u0301], a [light\u200Bhouse]\u00AD and [ＳＨＩＰＳ]");
  EXPECT_EQ(snippet("café ﬁsh", "cafe\u0301 FISH"), "[café] [ﬁsh]");
  EXPECT_EQ(snippet("a cafe\u0301 light\u200Bhouse", "café lighthouse", 60, {"english", 1}),
            "a cafe\u0301 light\u200Bhouse");
  EXPECT_EQ(snippet("a cafe\u0301", "cafe\u0301", 60, {"english", 1}), "a [cafe\u0301]");
}

TEST(Snippet, InHtmlTheMarksAreTheOnlyTags) {
  const std::string text = "<script>x</script> <em>fake</em> \"sea\" & 'ship' <sea>";
  const Snippet html = made(text, "sea ship", {}, "english");
  EXPECT_EQ(html.text,
            "&lt;script&gt;x&lt;/script&gt; &lt;em&gt;fake&lt;/em&gt; &quot;<em>sea</em>&quot; "
            "&amp; &#39;<em>ship</em>&#39; &lt;<em>sea</em>&gt;");
  EXPECT_EQ(html.marked, (std::vector<MarkedWord>{{34, 3}, {42, 4}, {49, 3}}));
  EXPECT_EQ(snippet(text, "sea ship"),
            "<script>x</script> <em>fake</em> \"[sea]\" & '[ship]' <[sea]>");
  // Escapes do not count: the piece is as long as that of the text.
  const std::string many(300, '&');
  EXPECT_EQ(made(many, "sea", {.max_bytes = 3}, "english").text, "&amp;&amp;&amp;…");
}

TEST(Snippet, SaysWhereTheMarkedWordsStand) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "größer ";
  const std::size_t place = text.size();
  text += "cafe\u0301 und Meer ";
  for (int i = 0; i < 50; ++i) text += "kleiner ";
  const Snippet piece = made(text, "café meer", {60, "[", "]", false}, "standard");
  EXPECT_EQ(piece.marked, (std::vector<MarkedWord>{{place, 6}, {place + 11, 4}}));
  for (const MarkedWord& word : piece.marked) {
    EXPECT_NE(piece.text.find("[" + text.substr(word.start, word.length) + "]"), std::string::npos);
  }
}

// Each of these is one grapheme of several characters.
TEST(Snippet, CutsNoGrapheme) {
  const std::vector<std::string> graphemes{"e\u0301\u0302",      "\r\n", "👩\u200D🚀", "🇩🇪", "각",
                                           "\u1100\u1161\u11A8", "நி",   "❤\uFE0F"};
  for (const std::string& grapheme : graphemes) {
    for (const std::size_t max_bytes : {20U, 21U, 22U, 23U, 24U, 25U, 26U, 27U, 28U, 29U}) {
      std::string text;
      for (int i = 0; i < 30; ++i) text += grapheme;
      std::string piece = snippet(text, "nothing", max_bytes, "standard");
      ASSERT_TRUE(piece.ends_with("…")) << piece;
      piece.resize(piece.size() - std::string("…").size());
      EXPECT_EQ(piece.size() % grapheme.size(), 0U) << grapheme << " " << max_bytes;
      EXPECT_LE(piece.size(), max_bytes);
      EXPECT_GT(piece.size() + grapheme.size(), max_bytes) << "as much as fits";
    }
  }
  // A mark at the beginning of a word belongs to the space before it.
  EXPECT_EQ(snippet("aaaaaaaaaa \u0301sea aaaaaaaaaa", "\u0301sea", 8, "whitespace"),
            "… [\u0301sea]…");
  // A grapheme that is longer than the snippet is not shown at all.
  std::string marks = "e";
  for (int i = 0; i < 1000; ++i) marks += "\u0301";
  EXPECT_EQ(snippet(marks, "nothing", 60, "standard"), "…");
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
  const std::vector<std::string> parts{
      "sea",  " ",      "ships ", "Größe ", "日本語", "…",       "\n",
      "x.y ", "\u0301", "\u200B", "--- ",   "an ",    "sailed ", std::string(90, 'w')};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t n = random() % 60; n > 0; --n) text += parts[random() % parts.size()];
    const std::size_t max_bytes = random() % 120;
    const AnalyzerSettings analyzer = std::array<AnalyzerSettings, 5>{
        "english", "standard", "whitespace", AnalyzerSettings{"english", 1},
        AnalyzerSettings{"standard", 1}}[random() % 5];
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

/// A random text of words without marks, and where those of the query stand.
struct WordText {
  std::string text{};
  std::vector<MarkedWord> matches{};
};

WordText random_words(std::mt19937_64& random) {
  const std::vector<std::string> words{
      "sea", "ship", "größe", "x", "filler", "日本", std::string(19, 'w')};
  WordText made;
  for (std::uint64_t n = random() % 80; n > 0; --n) {
    const std::size_t word = random() % (1 + random() % words.size());
    if (word < 2) made.matches.push_back({made.text.size(), words[word].size()});
    made.text += words[word] + " ";
  }
  return made;
}

TEST(Snippet, OfSeveralFragmentsShowsEachMatchOnce) {
  std::mt19937_64 random = test::generator(112);
  for (int i = 0; i < 2000; ++i) {
    const WordText whole = random_words(random);
    SnippetSettings settings{20 + random() % 80, "[", "]", false};
    settings.fragments = 1 + random() % 6;
    const Snippet some = made(whole.text, "sea ship", settings, "whitespace");
    ASSERT_LE(some.fragments.size(), settings.fragments);
    ASSERT_GE(some.fragments.size(), 1U);
    std::size_t at = 0;
    for (std::string piece : some.fragments) {
      const bool is_marked = piece.find('[') != std::string::npos;
      ASSERT_TRUE(is_marked || some.marked.empty()) << some.text;
      for (const char* mark : {"[", "]"}) {
        for (std::size_t of; (of = piece.find(mark)) != std::string::npos;) piece.erase(of, 1);
      }
      ASSERT_LE(piece.size(), settings.max_bytes);
      const std::size_t begin = whole.text.find(piece, at);
      ASSERT_NE(begin, std::string::npos) << "in order, and not twice: " << some.text;
      ASSERT_TRUE(begin == 0 || whole.text[begin - 1] == ' ') << "a word is cut: " << some.text;
      at = begin + piece.size();
      ASSERT_TRUE(at == whole.text.size() || whole.text[at] == ' ') << some.text;
    }
    for (std::size_t n = 1; n < some.marked.size(); ++n) {
      ASSERT_LT(some.marked[n - 1].start, some.marked[n].start);
    }
    settings.fragments = kMaxFragments;
    EXPECT_EQ(made(whole.text, "sea ship", settings, "whitespace").marked, whole.matches);
  }
}

TEST(Snippet, FurtherFragmentsHaveWhatTheFirstLacks) {
  std::string text = "sea sea sea ";
  for (int i = 0; i < 20; ++i) text += "filler ";
  text += "sea sea ";
  for (int i = 0; i < 20; ++i) text += "other ";
  text += "a ship ";
  for (int i = 0; i < 20; ++i) text += "rest ";
  SnippetSettings settings{12, "[", "]", false};
  settings.fragments = 2;
  const Snippet two = made(text, "sea ship", settings, "whitespace");
  EXPECT_THAT(two.fragments, testing::ElementsAre("[sea] [sea] [sea]", "a [ship] rest"));
  EXPECT_EQ(two.text, "[sea] [sea] [sea]…a [ship] rest…");
}

TEST(Snippet, MarksPairsThatOverlapAsOne) {
  const Snippet whole = made("東京都に行く。", "東京都", {60, "[", "]", false}, "cjk");
  EXPECT_EQ(whole.text, "[東京都]に行く。");
  ASSERT_EQ(whole.marked.size(), 1U);
  EXPECT_EQ(whole.marked[0].start, 0U);
  EXPECT_EQ(whole.marked[0].length, 9U);
  EXPECT_EQ(snippet("京都、東京", "東京都", 60, "cjk"), "[京都]、[東京]");
}

TEST(Snippet, MarksWhatTheAnalyzerOfTheIndexFinds) {
  const AnalyzerSettings folding =
      R"({"tokenizer": "standard", "filters": ["lowercase", "asciifolding"]})";
  EXPECT_EQ(snippet("Un Café noir", "cafe", 60, folding), "Un [Café] noir");
  EXPECT_EQ(snippet("Die Häuser", "haus", 60, "german"), "Die [Häuser]");
}

}  // namespace
}  // namespace warpdex
