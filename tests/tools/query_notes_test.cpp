// Which signs of other query languages are noted, and that the notes say what the parser does.
#include "output/query_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpdex::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> notes(const std::vector<std::string>& texts,
                               const std::string& analyzer = "english",
                               QuerySyntax syntax = QuerySyntax::kSigned) {
  std::vector<QueryText> queries;
  for (const std::string& text : texts) {
    queries.push_back({texts.size() == 1 ? "" : "q" + std::to_string(queries.size()), text});
  }
  return query_notes(queries, syntax, *make_analyzer(analyzer));
}

TEST(QueryNotes, NoteWhatLooksLikeAnotherLanguage) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_THAT(notes({text}), ElementsAre(HasSubstr(part))) << text;
  };
  expect("\"posting lists\"", "quotes");
  expect("“posting lists”", "quotes");
  expect("cats OR dogs", "AND, OR or NOT");
  expect("cats AND dogs", "AND, OR or NOT");
  expect("cats && dogs", "AND, OR or NOT");
  expect("NOT dogs", "AND, OR or NOT");
  expect("title:sea", "before a colon");
  expect("+doc.title:sea old", "before a colon");
  expect("sail*", "has *");
  expect("*ing", "has *");
  expect("roam~", "has ~");
  expect("roam~2", "has ~");
  expect("(sea) old", "parentheses");
}

TEST(QueryNotes, AWeightIsOneInTheSignedSyntaxOnly) {
  for (const std::string text : {"sea^2 old", "sea^.5"}) {
    EXPECT_THAT(notes({text}), ElementsAre()) << text;
    EXPECT_THAT(notes({text}, "english", QuerySyntax::kPlain),
                ElementsAre(AllOf(HasSubstr("behind ^"), HasSubstr("--query-syntax signed"))));
  }
}

TEST(QueryNotes, SignsAreSignsInTheSignedSyntaxOnly) {
  for (const std::string text : {"+sail -captain", "sea -captain", "+sail", "+1984 sea"}) {
    EXPECT_THAT(notes({text}), ElementsAre()) << text;
    EXPECT_THAT(
        notes({text}, "english", QuerySyntax::kPlain),
        ElementsAre(AllOf(HasSubstr("+ or - before a word"), HasSubstr("--query-syntax signed"))));
  }
  for (const std::string text : {"wi-fi", "-5 degrees", "sea - captain", "--flag", "C++ a+b"}) {
    EXPECT_THAT(notes({text}, "english", QuerySyntax::kPlain), ElementsAre()) << text;
  }
}

TEST(QueryNotes, SayWhatAnExcludedWordOfSeveralTermsExcludes) {
  EXPECT_THAT(notes({"year -covid-19"}, "standard"),
              ElementsAre("the query has - before a word of several terms, but it excludes "
                          "documents with all of these, wherever they stand; it is read as the "
                          "terms year, -covid&19"));
  EXPECT_THAT(notes({"year -covid-19"}, "whitespace"), ElementsAre());
  EXPECT_THAT(notes({"year -covid -19"}, "standard"), ElementsAre());
}

// The search tells what is wrong with it.
TEST(QueryNotes, AQueryThatCannotBeReadIsNotExplained) {
  EXPECT_THAT(notes({"+x^0 \"a b\""}),
              ElementsAre("the query has quotes, but they make no phrase"));
}

TEST(QueryNotes, KeepQuietForWords) {
  for (const std::string text : {"",
                                 "posting lists",
                                 "what is the sea?",
                                 "15\" screen",
                                 "cats or dogs",
                                 "ORACLE",
                                 "10:30",
                                 "std::vector",
                                 "http://example.org/a",
                                 "as follows: this",
                                 "^2",
                                 "2 * 3",
                                 "~ 5",
                                 "a) b",
                                 "+must -not",
                                 "-of-course",
                                 "C++",
                                 "it's",
                                 "o'clock",
                                 "R&D"}) {
    EXPECT_THAT(notes({text}), ElementsAre()) << text;
  }
}

TEST(QueryNotes, SayAsWhichTermsTheQueryIsRead) {
  const auto expect = [](const std::string& text, const std::string& analyzer,
                         const std::string& end) {
    const std::vector<std::string> found = notes({text}, analyzer);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_TRUE(found[0].ends_with("; it is read as " + end)) << found[0];
  };
  expect("\"posting lists\"", "english", "the terms post, list");
  expect("\"posting lists\"", "whitespace", "the terms \"posting, lists\"");
  expect("cats OR dogs", "english", "the terms cat, dog");
  expect("cats OR dogs", "standard", "the terms cats, or, dogs");
  expect("+sail* -(old)", "standard", "the terms +sail, -old");
  expect("(sea)^2 *x", "standard", "the terms sea^2, x");
  expect("(the)", "english", "no terms");
  expect("(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11)", "standard",
         "the terms a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, …");
}

TEST(QueryNotes, AreOneForAKindWithTheCountAndTheFirstQuery) {
  EXPECT_THAT(notes({"sea", "(old) sea*", "roam*", "\"a b\" c*"}, "standard", QuerySyntax::kPlain),
              ElementsAre("query q3 has quotes, but they make no phrase; it is read as the terms "
                          "a, b, c",
                          "3 queries have *, but it is no wildcard (but is with --query-syntax "
                          "lucene); the first is query q1; "
                          "it is read as the terms old, sea",
                          "query q1 has parentheses, but they group nothing (but do with "
                          "--query-syntax lucene)"));
}

}  // namespace
}  // namespace warpdex::tools
