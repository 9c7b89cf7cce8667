// What filters' text means, what is refused, and that a filter written as text is read as it was.
#include <gmock/gmock.h>

#include <functional>

#include "tests/reference/filters.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/filter/filter.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;
using Kind = FilterNode::Kind;

FilterNode without_places(FilterNode filter) {
  filter.place = 0;
  for (FilterNode& clause : filter.clauses) clause = without_places(clause);
  return filter;
}

FilterNode parsed(std::string_view text) { return without_places(parse_filter(text)); }

FilterNode in(std::string field, std::vector<std::string> values) {
  return {Kind::kIn, std::move(field), std::move(values)};
}

FilterNode all_of(std::vector<FilterNode> clauses, Kind kind = Kind::kAnd) {
  FilterNode node{kind};
  node.clauses = std::move(clauses);
  return node;
}

std::string refusal_of_filter(const std::string& text) {
  try {
    parse_filter(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(FilterSyntax, ReadsConditions) {
  EXPECT_EQ(parsed(" "), FilterNode());
  EXPECT_EQ(parsed("draft"), in("draft", {"true"}));
  EXPECT_EQ(parsed("lang = en"), in("lang", {"en"}));
  EXPECT_EQ(parsed("lang='a \\' b'"), in("lang", {"a ' b"}));
  EXPECT_EQ(parsed("lang IN [en, \"d e\"]"), in("lang", {"en", "d e"}));
  EXPECT_EQ(parsed("lang IN []"), in("lang", {}));
  EXPECT_EQ(parsed("lang != en"), all_of({in("lang", {"en"})}, Kind::kNot));
  EXPECT_EQ(parsed("lang NOT IN [en]"), all_of({in("lang", {"en"})}, Kind::kNot));
  EXPECT_EQ(parsed("year >= 1990"), (FilterNode{Kind::kRange, "year", {"1990", ""}}));
  EXPECT_EQ(parsed("year<-5"), (FilterNode{Kind::kRange, "year", {"", "-5"}, true, false}));
  EXPECT_EQ(parsed("year 1 TO 2"), (FilterNode{Kind::kRange, "year", {"1", "2"}}));
  EXPECT_EQ(parsed("year {1 TO 2]"), (FilterNode{Kind::kRange, "year", {"1", "2"}, false}));
  EXPECT_EQ(parsed("year EXISTS"), (FilterNode{Kind::kExists, "year"}));
  EXPECT_EQ(parsed("year NOT EXISTS"), all_of({FilterNode{Kind::kExists, "year"}}, Kind::kNot));
}

TEST(FilterSyntax, AndBindsMoreThanOr) {
  EXPECT_EQ(parsed("a OR b AND NOT c"),
            all_of({in("a", {"true"}),
                    all_of({in("b", {"true"}), all_of({in("c", {"true"})}, Kind::kNot)})},
                   Kind::kOr));
  EXPECT_EQ(parsed("(a OR b) AND c"),
            all_of({all_of({in("a", {"true"}), in("b", {"true"})}, Kind::kOr), in("c", {"true"})}));
}

TEST(FilterSyntax, WhatIsWrittenIsReadAsItWas) {
  std::mt19937_64 random = test::generator(60);
  for (int i = 0; i < 500; ++i) {
    const FilterNode filter = reference::random_filter(random, reference::random_schema(random));
    ASSERT_EQ(parsed(filter_text(filter)), filter) << filter_text(filter);
  }
}

TEST(FilterSyntax, MistakesAreNamedWithTheirPlace) {
  EXPECT_THAT(refusal_of_filter("a = "), HasSubstr("at byte 4: here a value is missing"));
  EXPECT_THAT(refusal_of_filter("a AND"), HasSubstr("at byte 5: here a field is missing"));
  EXPECT_THAT(refusal_of_filter("AND a"), HasSubstr("here a field is missing, before AND"));
  EXPECT_THAT(refusal_of_filter("a = 'b"), HasSubstr("at byte 4: the quote that begins here"));
  EXPECT_THAT(refusal_of_filter("(a OR b"), HasSubstr("at byte 0: the parenthesis"));
  EXPECT_THAT(refusal_of_filter("a IN [x"), HasSubstr("at byte 5: the list that begins here"));
  EXPECT_THAT(refusal_of_filter("a IN x"), HasSubstr("at byte 5: here a list is missing"));
  EXPECT_THAT(refusal_of_filter("a b"), HasSubstr("at byte 3: here a TO is missing"));
  EXPECT_THAT(refusal_of_filter("a = b c"), HasSubstr("at byte 6: here an AND or OR is missing"));
  EXPECT_THAT(refusal_of_filter("a) b"), HasSubstr("at byte 1: here an AND or OR is missing"));
  EXPECT_THAT(refusal_of_filter("a NOT = b"), HasSubstr("NOT stands before IN or EXISTS"));
  EXPECT_THAT(refusal_of_filter(std::string(1000, '(')), HasSubstr("more than 64 parentheses"));
  std::string many = "a";
  for (int i = 0; i < 5000; ++i) many += " AND a";
  EXPECT_THAT(refusal_of_filter(many), HasSubstr("more than 4096 clauses"));
  EXPECT_THAT(refusal_of_filter("a = \xff"), HasSubstr("UTF-8"));
}

TEST(FilterSyntax, FieldsAndValuesAreChecked) {
  const Schema schema = parse_schema(
      R"({"fields": {"year": {"type": "int"}, "added": {"type": "date"}, "b": {"type": "bool"}}})");
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      check_filter(parse_filter(text), schema);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("year = 1 AND NOT (added >= 1990-02 OR b) AND id IN [x]"), "");
  EXPECT_THAT(refusal("year = 1 AND yeer = 2"),
              HasSubstr("at byte 13: there is no column 'yeer'; the index has the columns year, "
                        "added, b"));
  EXPECT_THAT(refusal("year = x"), HasSubstr("at byte 0: the field 'year' has the value 'x'"));
  EXPECT_THAT(refusal("added < 1990-02-30"), HasSubstr("is no date that exists"));
  EXPECT_THAT(refusal("year"), HasSubstr("the value 'true'; it takes a whole number"));
  EXPECT_THAT(refusal("id >= a"), HasSubstr("ids have no ranges"));
}

}  // namespace
}  // namespace warpdex
