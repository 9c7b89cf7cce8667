// The analyzer "english": possessives, stop words, Snowball's own vocabulary.
#include <iterator>
#include <set>
#include <sstream>

#include "analysis/english_stemmer.hpp"
#include "tests/indexer/analysis_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using Terms = std::vector<std::string>;
using test::terms_of;

constexpr const char* kStopWords =
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with";

std::vector<std::string> read_lines(const char* file) {
  std::istringstream stream(test::read_file(test::data_folder() / file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(EnglishStemmer, StemsSnowballsVocabularyWordForWord) {
  WARPDEX_NEEDS_DATA("peers/snowball-english/voc.txt");
  const auto words = read_lines("peers/snowball-english/voc.txt");
  const auto stems = read_lines("peers/snowball-english/output.txt");
  ASSERT_EQ(words.size(), 42'649);
  ASSERT_EQ(words.size(), stems.size());
  analysis::EnglishStemmer stemmer;
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(stemmer.stem(words[i]), stems[i]) << words[i];
  }
}

TEST(EnglishAnalyzer, GivesTheStemsOfSnowballsVocabulary) {
  WARPDEX_NEEDS_DATA("peers/snowball-english/voc.txt");
  const auto words = read_lines("peers/snowball-english/voc.txt");
  const auto stems = read_lines("peers/snowball-english/output.txt");
  std::string text;
  Terms expected;
  std::istringstream stream(kStopWords);
  const std::set<std::string> stop_words{std::istream_iterator<std::string>(stream), {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].find('\'') != std::string::npos) continue;  // quotes, not words
    text += words[i] + (i % 2 == 0 ? " " : ", ");
    if (!stop_words.contains(words[i])) expected.push_back(stems[i]);
  }
  EXPECT_GT(expected.size(), 42'000);
  const auto analyzer = make_analyzer("english");
  EXPECT_EQ(terms_of(*analyzer, text), expected);
  EXPECT_EQ(terms_of(*analyzer, text), expected) << "from the cache";
}

TEST(EnglishStemmer, FollowsTheThirdReleaseOfSnowball) {
  const std::vector<std::pair<const char*, const char*>> pairs = {{"adding", "add"},
                                                                  {"erred", "err"},
                                                                  {"offing", "off"},
                                                                  {"vying", "vie"},
                                                                  {"evenings", "evening"},
                                                                  {"herrings", "herring"},
                                                                  {"universal", "universal"},
                                                                  {"university", "universiti"},
                                                                  {"universe", "univers"},
                                                                  {"organization", "organiz"},
                                                                  {"internal", "internal"},
                                                                  {"geologists", "geolog"},
                                                                  {"pasted", "paste"},
                                                                  {"past", "past"},
                                                                  {"laterally", "lateral"},
                                                                  {"exceed", "exceed"},
                                                                  {"skis", "ski"},
                                                                  {"skies", "sky"}};
  analysis::EnglishStemmer stemmer;
  for (const auto& [word, stem] : pairs) EXPECT_EQ(stemmer.stem(word), stem) << word;
}

TEST(EnglishAnalyzer, DropsTheStopWordsInAnyCase) {
  EXPECT_EQ(terms_of("english", kStopWords), Terms{});
  std::string upper = kStopWords;
  for (char& c : upper) c = c == ' ' ? ' ' : static_cast<char>(c - 32);
  EXPECT_EQ(terms_of("english", upper), Terms{});
  EXPECT_EQ(terms_of("english", "it's The's the cat"), Terms{"cat"});
  EXPECT_EQ(terms_of("english", "he from had thee ana"),
            (Terms{"he", "from", "had", "thee", "ana"}));
}

TEST(EnglishAnalyzer, RemovesPossessives) {
  for (const char* text : {"dog's", "Dog'S", "DOG’S", "dog’s", "dog\uFF07s", "dogs'", "dogs’"}) {
    EXPECT_EQ(terms_of("english", text), Terms{"dog"}) << text;
  }
  EXPECT_EQ(terms_of("english", "café's École’s"), (Terms{"café", "école"}));
  EXPECT_EQ(terms_of("english", "o's s 's s's"), (Terms{"o", "s", "s", "s"}));
}

TEST(EnglishAnalyzer, StemsAfterFolding) {
  EXPECT_EQ(terms_of("english", "Running RUNNERS generously Nationalities skies dying"),
            (Terms{"run", "runner", "generous", "nation", "sky", "die"}));
  EXPECT_EQ(terms_of("english", "Straßen können 3.14 can't"),
            (Terms{"strassen", "können", "3.14", "can't"}));
}

TEST(EnglishAnalyzer, HandlesWordsAroundTheCachesLongest) {
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string word(length, 'x');
    const std::string text = word + " " + word + "ing " + word;
    const auto analyzer = make_analyzer("english");
    const Terms expected = {word, length < 2 ? "xing" : word + "ing", word};
    EXPECT_EQ(terms_of(*analyzer, text), expected);
    EXPECT_EQ(terms_of(*analyzer, text), expected);
    EXPECT_EQ(terms_of(*analyzer, word), Terms{word}) << "at the text's end";
  }
}

TEST(EnglishAnalyzer, FindsNothingInNothing) {
  const auto analyzer = make_analyzer("english");
  EXPECT_EQ(terms_of(*analyzer, "some words"), (Terms{"some", "word"}));
  EXPECT_EQ(terms_of(*analyzer, ""), Terms{});
  EXPECT_EQ(terms_of(*analyzer, " '. "), Terms{});
}

}  // namespace
}  // namespace warpdex
