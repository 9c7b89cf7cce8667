// Synonyms of queries: what they find and score, against documents looked at one by one and the
// oracle's formula; and rules that are none.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/reference/oracle.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;
using WordLists = std::vector<std::vector<std::string>>;

class Synonyms : public testing::Test {
 protected:
  void make(bool positions) {
    std::mt19937_64 random = test::generator(5501);
    NewIndex made;
    made.analyzer = "whitespace";
    made.positions = positions;
    Writer writer(folder_ / "index", made);
    for (std::size_t i = 0; i < 500; ++i) {
      std::vector<std::string>& words = documents_.emplace_back();
      std::string text;
      for (std::size_t n = random() % 20; n > 0; --n) {
        words.push_back("w" + std::to_string(random() % (1 + random() % 15)));
        text += words.back() + " ";
      }
      tokens_ += static_cast<double>(words.size());
      writer.add({.id = "d" + std::to_string(i), .text = text});
      if (i % 200 == 199) writer.commit();
    }
    // Each phrase of the tests is in a document.
    documents_.push_back({"w1", "w3", "w4", "w5", "w3", "w0", "w2", "w3"});
    tokens_ += static_cast<double>(documents_.back().size());
    writer.add({.id = "last", .text = "w1 w3 w4 w5 w3 w0 w2 w3"});
    writer.commit();
  }

  Answer search(const std::string& text, const std::string& rules,
                QuerySyntax syntax = QuerySyntax::kLucene, QueryMode mode = QueryMode::kOr) const {
    SearchOptions options{.k = 500, .mode = mode, .syntax = syntax, .explain = true};
    if (!rules.empty()) options.searched.synonyms = parse_synonyms(rules, "rules");
    return Searcher(folder_ / "index").search(text, options);
  }

  std::size_t count(std::size_t document, const std::string& word) const {
    return static_cast<std::size_t>(std::ranges::count(documents_[document], word));
  }
  /// Documents that have the word.
  std::size_t with(const std::string& word) const {
    std::size_t found = 0;
    for (std::size_t d = 0; d < documents_.size(); ++d) found += count(d, word) > 0 ? 1 : 0;
    return found;
  }

  std::string complaint_of(const std::string& text, const std::string& rules) const {
    try {
      search(text, rules);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  static void expect_same(const Answer& a, const Answer& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_GT(a.size(), 0U);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].document(), b[i].document());
      EXPECT_EQ(a[i].score(), b[i].score());
    }
  }

  test::TemporaryFolder folder_;
  WordLists documents_;
  double tokens_ = 0;
};

TEST_F(Synonyms, ScoreAsOneWord) {
  make(false);
  const std::vector<std::string> group{"w3", "w9", "w14"};
  std::size_t most = 0;
  for (const std::string& word : group) most = std::max(most, with(word));
  const ScorerSettings scorer;
  const auto documents = static_cast<double>(documents_.size());
  for (const QuerySyntax syntax :
       {QuerySyntax::kPlain, QuerySyntax::kSigned, QuerySyntax::kLucene}) {
    const Answer answer = search("w9", "w3, w9, w14\n", syntax);
    std::size_t wanted = 0;
    std::map<std::uint32_t, double> scores;
    for (std::size_t d = 0; d < documents_.size(); ++d) {
      std::size_t frequency = 0;
      for (const std::string& word : group) frequency += count(d, word);
      if (frequency == 0) continue;
      ++wanted;
      scores[static_cast<std::uint32_t>(d)] = reference::bm25(
          scorer, documents, static_cast<double>(most), static_cast<double>(frequency),
          static_cast<double>(documents_[d].size()), tokens_ / documents);
    }
    ASSERT_EQ(answer.size(), wanted);
    for (const AnswerHit hit : answer) {
      EXPECT_NEAR(hit.score(), scores.at(hit.document()), 1e-5);
      EXPECT_EQ(hit.explanation()->score, hit.score());
      EXPECT_THAT(to_text(*hit.explanation()), HasSubstr("synonyms [w3 w9 w14]"));
    }
  }
}

/// Over many windows, of which some are passed over for a small k.
TEST(SynonymRules, FewBestAreThoseOfAll) {
  std::mt19937_64 random = test::generator(5502);
  const test::TemporaryFolder folder;
  {
    Writer writer(folder / "index", {.analyzer = "whitespace"});
    for (std::size_t i = 0; i < 30'000; ++i) {
      std::string text = "x";
      // Documents of some windows have more of the words.
      const std::size_t most = i / 4096 % 3 == 0 ? 40 : 4;
      for (std::size_t n = random() % most; n > 0; --n) {
        text += " w" + std::to_string(random() % (1 + random() % 200));
      }
      writer.add({.id = "d" + std::to_string(i), .text = text});
    }
    writer.commit();
  }
  const Searcher searcher(folder / "index");
  SearchOptions options;
  options.searched.synonyms = parse_synonyms("w30, w90, w150\nw60, w120", "rules");
  for (const char* const name : {"bm25", "bm25+", "qld", "qljm", "pl2"}) {
    options.scorer.kind = scorer_from_name(name);
    for (const std::string text : {"w30", "w30 w60", "+w90 w2 -w5", "+w60 +w150"}) {
      options.k = 10'000;
      const Answer all = searcher.search(text, options);
      for (const std::uint32_t k : {1U, 10U, 33U}) {
        options.k = k;
        const Answer few = searcher.search(text, options);
        ASSERT_EQ(few.size(), std::min<std::size_t>(k, all.size())) << text;
        EXPECT_GT(few.size(), 0U);
        for (std::size_t i = 0; i < few.size(); ++i) {
          EXPECT_EQ(few[i].document(), all[i].document()) << name << " " << text;
          EXPECT_EQ(few[i].score(), all[i].score()) << name << " " << text;
        }
      }
    }
  }
}

TEST_F(Synonyms, TakeThePlaceOfWords) {
  make(true);
  expect_same(search("w1 w5", "w1 => w7\n"), search("w7 w5", ""));
  expect_same(search("w1", "w1 => w7, w8\n"), search("w7", "w7,w8"));
  expect_same(search("w1 w2 w3", "w1 w2 => w8\n"), search("w8 w3", ""));
  expect_same(search("w1 w2 w3", "w1 => w9\nw1 w2 => w8\n"), search("w8 w3", ""));
  expect_same(search("w1 w5", "w1 => w2 w3\n"), search("\"w2 w3\" w5", ""));
  expect_same(search("w1", "w1, w2 w3, w4\n"), search("w1 \"w2 w3\" w4", ""));
  expect_same(search("w5", "# nothing\n\nw1, w2\n"), search("w5", ""));
  expect_same(search("+w1 -w2 w3", "w2 => w6", QuerySyntax::kSigned), search("+w1 -w6 w3", ""));
  expect_same(search("w1 w2", "w1, w5", QuerySyntax::kPlain, QueryMode::kAnd),
              search("+w1 +w2", "w1, w5"));
  expect_same(search(R"({"match": {"*": "w1"}})", "w1 => w4", QuerySyntax::kJson),
              search("w4", ""));
  expect_same(search("w1*", "w1 => w4"), search("w1*", ""));
}

TEST_F(Synonyms, StandInPhrases) {
  make(true);
  expect_same(search("\"w1 w2\"", "w2 => w3"), search("\"w1 w3\"", ""));
  expect_same(search("\"w1 w2\"", "w2 => w3 w4"), search("\"w1 w3 w4\"", ""));
  expect_same(search("\"w1 w2 w3\"", "w1 w2 => w5"), search("\"w5 w3\"", ""));
  expect_same(search("\"w1\"", "w1 => w3"), search("w3", ""));
  expect_same(search("\"w0 w1\"~2", "w1 => w2"), search("\"w0 w2\"~2", ""));
  // Either word may stand there.
  std::size_t wanted = 0;
  for (const auto& words : documents_) {
    bool is_there = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      is_there = is_there || (words[i - 1] == "w0" && (words[i] == "w2" || words[i] == "w3"));
    }
    wanted += is_there ? 1 : 0;
  }
  EXPECT_EQ(search("\"w0 w2\"", "w2, w3").size(), wanted);
  EXPECT_GT(wanted, 0U);
}

TEST_F(Synonyms, MistakesNameTheirLine) {
  make(false);
  const auto parse = [](const std::string& rules) {
    try {
      parse_synonyms(rules, "rules.txt");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(parse("a, b\n\nc,, d\n"), HasSubstr("rules.txt, line 3: a word is missing"));
  EXPECT_THAT(parse("a =>\n"), HasSubstr("rules.txt, line 1: a word is missing"));
  EXPECT_THAT(parse("a => b => c\n"), HasSubstr("line 1: it has two '=>'"));
  EXPECT_THAT(parse("# a\na, \xff\n"), HasSubstr("line 2: it is not UTF-8"));
  EXPECT_EQ(parse_synonyms("a\\,b, c \\=> d\n", "")->rules[0].from,
            (std::vector<std::string>{"a,b", "c => d"}));
  EXPECT_EQ(parse_synonyms("a b,c=>d e\r\n", "")->rules[0].to, std::vector<std::string>{"d e"});
  EXPECT_THAT(complaint_of("w1", "# x\nw1 => w2 w3"),
              HasSubstr("the synonyms of line 2 are several words"));
  EXPECT_THAT(complaint_of("w1", "w1 => w2 w3"), HasSubstr("build it with positions"));
}

TEST(SynonymRules, AreAnalysedAsDocumentsAre) {
  const test::TemporaryFolder folder;
  {
    Writer writer(folder / "index", {.analyzer = "english", .positions = true});
    writer.add({.id = "1", .text = "The sailors of the United Kingdom"});
    writer.add({.id = "2", .text = "Oceans"});
    writer.commit();
  }
  const Searcher searcher(folder / "index");
  SearchOptions options;
  const auto found = [&](const std::string& text, const std::string& rules) {
    options.searched.synonyms = parse_synonyms(rules, "rules");
    std::string ids;
    for (const AnswerHit hit : searcher.search(text, options)) ids += std::string(hit.id());
    return ids;
  };
  EXPECT_EQ(found("SEAS", "Ocean, sea"), "2");
  EXPECT_EQ(found("uk", "UK, united kingdoms"), "1");
  EXPECT_THROW(found("uk", "uk => the\n"), InputError);
  std::string words = "uk";
  for (int i = 1; i < 32; ++i) words += " w" + std::to_string(i);
  EXPECT_EQ(found(words, words + " => ocean"), "2");
  EXPECT_THAT([&] { found("uk", words + " w => ocean"); },
              testing::ThrowsMessage<InputError>(HasSubstr("has more than 32 words")));
  std::string many = "uk";
  for (int i = 1; i < 255; ++i) many += ", x" + std::to_string(i);
  EXPECT_EQ(found("x200", many), "");
  EXPECT_EQ(found("x200", many + ", x7\nx200, ocean"), "2");
  EXPECT_THAT([&] { found("uk", many + "\nx200, y, z"); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr("rules, line 2: a word has more than 256 synonyms")));
  std::string from = "y0";
  for (int i = 1; i < 10'000; ++i) from += ", y" + std::to_string(i);
  std::string to = "z0";
  for (int i = 1; i < 250; ++i) to += ", z" + std::to_string(i);
  EXPECT_THAT(
      [&] { found("uk", from + " => " + to); },
      testing::ThrowsMessage<InputError>(HasSubstr("line 1: up to here more than 2000000")));
}

}  // namespace
}  // namespace warpdex
