// What search prints for people, without the program.
#include "output/readable_answer.hpp"

#include <sstream>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReadableAnswer : public ::testing::Test {
 protected:
  IndexReader open(const std::vector<std::string>& more = {}) const {
    build_small_index(folder_ / "index", more);
    return IndexReader(folder_ / "index");
  }
  static std::string print(const IndexReader& index, const Query& query, const QueryAnswer& answer,
                           bool count = false, bool is_hybrid = false) {
    std::ostringstream out;
    tools::print_readably(index, query, answer, count, is_hybrid, false, out);
    return out.str();
  }

  TemporaryFolder folder_;
  const Query pear_{"", {{"pear"}}};
};

TEST_F(ReadableAnswer, RanksDocumentsAndCountsThem) {
  const IndexReader index = open();
  const std::vector<NamedHit> hits{{"d5", 1.25F}, {"d2", 0.5F}};
  QueryAnswer result;
  result.hits = hits;
  result.matches = 7;
  EXPECT_EQ(print(index, pear_, result),
            "rank   score  document\n"
            "   1  1.2500  d5\n"
            "   2  0.5000  d2\n");
  EXPECT_THAT(print(index, pear_, result, true), HasSubstr("\n7 documents matched\n"));
  result.fell_back_to_or = true;
  EXPECT_THAT(print(index, {"", {{"pear"}, {"sky"}}}, result),
              ::testing::StartsWith("too few documents hold all"));
  // Of one word, written once or twice, none is left out.
  EXPECT_THAT(print(index, pear_, result), ::testing::StartsWith("rank"));
  EXPECT_THAT(print(index, {"", {{"pear"}, {"pear"}, {"sky", Occur::kMustNot}}}, result),
              ::testing::StartsWith("rank"));
}

// Looking for words that are spelt alike takes milliseconds for each.
TEST_F(ReadableAnswer, SpellsOfManyUnknownWordsTheFirst) {
  Query query;
  for (int i = 10; i < 23; ++i) query.terms.push_back({"unknown" + std::to_string(i)});
  const std::string text = print(open(), query, {});
  EXPECT_THAT(text, HasSubstr("not in the index: unknown19\nnot in the index: 3 more terms\n"));
  query.terms.resize(10);
  EXPECT_THAT(print(open(), query, {}), Not(HasSubstr("more")));
}

TEST_F(ReadableAnswer, SaysWhyNothingWasFound) {
  const IndexReader index = open();
  const std::string unknown = print(index, {"", {{"appel"}, {"pear"}}}, {});
  EXPECT_THAT(unknown, HasSubstr("not in the index: appel; did you mean apple?\n"));
  EXPECT_THAT(unknown, Not(HasSubstr("pear")));
  EXPECT_THAT(unknown, HasSubstr("no document matches\n"));
  EXPECT_THAT(print(index, {}, {}), HasSubstr("the query has no terms"));
  EXPECT_THAT(print(index, {"", {{"pear", Occur::kMustNot}}}, {}),
              HasSubstr("the query only excludes"));
}

// Sums of impacts are whole numbers, those of words and vectors are not.
TEST_F(ReadableAnswer, WholeScoresHaveNoDecimals) {
  const IndexReader index = open({"--impacts"});
  const std::vector<NamedHit> hits{{"d5", 12}};
  QueryAnswer result;
  result.hits = hits;
  EXPECT_THAT(print(index, pear_, result), HasSubstr("  12  d5\n"));
  EXPECT_THAT(print(index, pear_, result, false, true), HasSubstr("  12.0000  d5\n"));
}

}  // namespace
}  // namespace warpdex::test
