// What warpdex search says to people: scores, remarks, notes, progress, and what is wrong with
// queries.
#include <sstream>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SearchForPeople : public ::testing::Test {
 protected:
  void SetUp() override { build_small_index(file("index")); }
  std::string file(const std::string& name) const { return folder_ / name; }

  Outcome search(const std::vector<std::string>& more, const RunSettings& settings = {}) const {
    std::vector<std::string> arguments{"search", file("index")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, settings);
  }

  TemporaryFolder folder_;
};

TEST_F(SearchForPeople, ShowsScoresWithAsManyDigitsEach) {
  const auto scores_of = [](const Outcome& outcome) {
    std::vector<std::string> scores;
    std::istringstream lines(outcome.out);
    std::string rank, score, document;
    for (lines >> rank >> score >> document; lines >> rank >> score >> document;) {
      scores.push_back(score);
    }
    return scores;
  };
  const std::vector<std::string> scores = scores_of(search({"--b", "0", "apple apple green red"}));
  EXPECT_THAT(scores, ::testing::SizeIs(3));
  EXPECT_THAT(scores, ::testing::Each(::testing::MatchesRegex("[0-9]+\\.[0-9]{4}")));
  build_small_index(file("impacts"), {"--impacts"});
  const Outcome whole = run_warpdex({"search", file("impacts"), "apple green"});
  EXPECT_THAT(scores_of(whole), ::testing::SizeIs(3));
  EXPECT_THAT(scores_of(whole), ::testing::Each(::testing::MatchesRegex("[0-9]+")));
}

TEST_F(SearchForPeople, SaysOneThingWhereNothingMatches) {
  const Outcome outcome = search({"--mode", "and-or", "zebra lion"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "not in the index: lion\nnot in the index: zebra\nno document matches\n");
  EXPECT_THAT(search({"--mode", "and-or", "green sky"}).out,
              HasSubstr("too few documents hold all"));
}

TEST_F(SearchForPeople, SaysWhereTermsAreCut) {
  std::string words;
  for (const char a : {'a', 'b', 'c', 'd'}) {
    for (const char b : {'a', 'b', 'c', 'd'}) {
      words += {' ', a, b};
      for (const char c : {'a', 'b', 'c', 'd'}) words += {' ', a, b, c};
    }
  }
  ASSERT_EQ(run_warpdex({"index", "--input", "-", "--format", "tsv", "--analyzer", "whitespace",
                         "--quiet", "--output", file("near")},
                        {"d1\t" + words + "\n", {}, {}})
                .status,
            0);
  const auto notes = [&](const std::vector<std::string>& more, const std::string& input = "") {
    std::vector<std::string> arguments{"search", file("near"), "--query-syntax", "lucene"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_warpdex(arguments, {.input = input}).err;
  };
  EXPECT_EQ(notes({"ab~1"}), "");
  EXPECT_THAT(notes({"ab~2"}), HasSubstr("note: the query has a prefix, pattern, range or near"));
  EXPECT_THAT(notes({"--queries", "-"}, "7\tab~2\n8\tab~1\n"), HasSubstr("query 7 has a prefix"));
  write_file(file("log"), "7\tab~2\n8\tab~2\n");
  EXPECT_THAT(notes({"--queries", file("log")}), HasSubstr("2 queries have prefixes, patterns"));
}

TEST_F(SearchForPeople, OffersTermsThatAreSpeltAlike) {
  const Outcome outcome = search({"aple gren"});
  EXPECT_THAT(outcome.out, HasSubstr("not in the index: aple; did you mean apple?\n"));
  EXPECT_THAT(outcome.out, HasSubstr("not in the index: gren; did you mean green?\n"));
  EXPECT_EQ(
      run_warpdex({"delete", file("index"), "--ids", "-", "--quiet"}, {"d1\nd2\n", {}, {}}).status,
      0);
  EXPECT_THAT(search({"aple"}).out, Not(HasSubstr("d1")));
}

// The stem of tumbleweed is tumblewe. Typed, that is looked for as tumblew.
TEST_F(SearchForPeople, OffersNoStemThatHasAStemOfItsOwn) {
  ASSERT_EQ(run_warpdex({"index", "--input", "-", "--format", "tsv", "--analyzer", "english",
                         "--quiet", "--output", file("stems")},
                        {"d1\ttumbleweed\nd2\ttumbler\n", {}, {}})
                .status,
            0);
  const std::string said = run_warpdex({"search", file("stems"), "tumblewed"}).out;
  EXPECT_THAT(said, HasSubstr("not in the index: tumblew"));
  EXPECT_THAT(said, Not(HasSubstr("tumblewe?")));
  EXPECT_THAT(said, Not(HasSubstr("tumblewe or")));
}

TEST_F(SearchForPeople, NamesAQueryThatIsNotUtf8Once) {
  const Outcome words = search({"gr\xFCn"});
  expect_complaint(words, 1, {"not valid UTF-8"});
  EXPECT_THAT(words.err, Not(HasSubstr("query")));
  write_file(file("log.tsv"), "q1\tgreen\nq2\tgr\xFCn\n");
  const std::string log = search({"--queries", file("log.tsv")}).err;
  EXPECT_THAT(log, HasSubstr("log.tsv:2 has a query that is not UTF-8"));
}

TEST_F(SearchForPeople, SuggestsTheFormatOfTrecTopics) {
  write_file(file("topics"), "\n  <top>\n<num> Number: 1\n<title> green\n</top>\n");
  write_file(file("topics.trec"), "<?xml version='1.0'?>\n<top>\n<num> 1\n<title> green\n</top>\n");
  for (const std::string name : {"topics", "topics.trec"}) {
    for (const std::string format : {"tsv", "colon"}) {
      expect_complaint(search({"--queries", file(name), "--query-format", format}), 1,
                       {name, "--query-format trec"});
    }
    EXPECT_THAT(search({"--queries", file(name), "--query-format", "trec"}).out,
                HasSubstr("1 Q0 d2"));
  }
  write_file(file("log"), "green\n");
  const Outcome other = search({"--queries", file("log")});
  EXPECT_THAT(other.err, Not(HasSubstr("TREC")));
}

TEST_F(SearchForPeople, NotesSignsThatDoNothing) {
  const Outcome words = search({"\"apple tree\"", "OR", "title:sky"});
  EXPECT_EQ(words.status, 0);
  EXPECT_EQ(words.out, search({"apple tree OR title:sky"}).out);
  EXPECT_EQ(std::count(words.err.begin(), words.err.end(), '\n'), 3) << words.err;
  EXPECT_THAT(words.err, HasSubstr("warpdex: note: the query has quotes, "));
  EXPECT_THAT(words.err, HasSubstr("AND, OR or NOT"));
  EXPECT_THAT(words.err, HasSubstr("before a colon"));
  EXPECT_EQ(search({"apple tree or sky"}).err, "");

  std::string log;
  for (int i = 0; i < 3000; ++i)
    log += std::to_string(i) + (i % 2 == 0 ? "\t(green)\n" : "\tsky\n");
  write_file(file("log.tsv"), log);
  const Outcome file_outcome = search({"--queries", file("log.tsv"), "--output-format", "json"});
  EXPECT_EQ(file_outcome.err,
            "warpdex: note: 1,500 queries have parentheses, but they group nothing (but do with "
            "--query-syntax lucene); the first is "
            "query 0; it is read as the terms green\n");
  EXPECT_EQ(parse_json(file_outcome.out)["queries"].Size(), 3000U);
}

TEST_F(SearchForPeople, AnswersPatternsWithoutNotes) {
  for (const char* const query : {"gre*", "(green OR apple) AND re*"}) {
    const Outcome found = search({"--query-syntax", "lucene", query});
    EXPECT_EQ(found.err, "");
    EXPECT_THAT(found.out, HasSubstr("score")) << query;
    EXPECT_THAT(found.out, Not(HasSubstr("no terms"))) << query;
  }
}

TEST_F(SearchForPeople, ShowsProgressOnATerminalAlone) {
  std::string log;
  for (int i = 0; i < 300'000; ++i) log += std::to_string(i) + "\tgreen apple tree pear\n";
  write_file(file("log.tsv"), log);
  const std::vector<std::string> arguments{"--queries", file("log.tsv"), "--output", "/dev/null"};
  RunSettings terminal;
  terminal.error_is_terminal = true;
  terminal.under = {"env", "TERM=xterm"};
  const Outcome seen = search(arguments, terminal);
  EXPECT_EQ(seen.status, 0) << seen.err;
  EXPECT_TRUE(seen.err.starts_with("\r\x1b[K\x1b[?7lsearching: ")) << seen.err;
  EXPECT_THAT(seen.err, HasSubstr(" of 300,000 queries, "));
  EXPECT_THAT(seen.err, HasSubstr("/s, "));
  EXPECT_TRUE(seen.err.ends_with("\r\x1b[K")) << seen.err;  // nothing of it is left
  terminal.under = {"env", "TERM=dumb"};
  const Outcome plain = search(arguments, terminal);
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(plain.err, Not(HasSubstr("\x1b")));
  EXPECT_EQ(search(arguments).err, "");
}

}  // namespace
}  // namespace warpdex::test
