// Facets as text.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

TEST(ParseFacets, RangesStandBetweenLimits) {
  EXPECT_TRUE(parse_facets(Texts()).empty());
  EXPECT_THAT(parse_facets(Texts{"lang", "year:..1990..2000..", "price:-1.5..-.5", "x:a.b..c"}),
              ElementsAre(FacetRequest{.column = "lang"},
                          FacetRequest{.column = "year",
                                       .ranges = {{"", "1990"}, {"1990", "2000"}, {"2000", ""}}},
                          FacetRequest{.column = "price", .ranges = {{"-1.5", "-.5"}}},
                          FacetRequest{.column = "x", .ranges = {{"a.b", "c"}}}));
  EXPECT_THAT(
      parse_facets(Texts{"day:2024-02-29T12:00:00Z..2025", "dc:title", "a..b"}),
      ElementsAre(FacetRequest{.column = "day", .ranges = {{"2024-02-29T12:00:00Z", "2025"}}},
                  FacetRequest{.column = "dc:title"}, FacetRequest{.column = "a..b"}));
}

TEST(ParseFacets, AColumnThatIsNamedAgainAddsRanges) {
  EXPECT_THAT(parse_facets(Texts{"year:1..3", "lang", "year", "year:2..9", "lang"}),
              ElementsAre(FacetRequest{.column = "year", .ranges = {{"1", "3"}, {"2", "9"}}},
                          FacetRequest{.column = "lang"}));
}

TEST(ParseFacets, WhatHasNoLimitIsRefused) {
  for (const char* wrong :
       {"", ":1..2", "year:..", "year:1....2", "year:....", "year:1..2....", "year:....2"}) {
    EXPECT_THROW(parse_facets(Texts{wrong}), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace warpdex
