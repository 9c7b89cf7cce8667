// Places of documents, found again by their numbers.
#include "build/place_table.hpp"

#include <gtest/gtest.h>

namespace warpdex::build {
namespace {

TEST(PlaceTable, FindsFilesAndLines) {
  PlaceTable places;
  const std::uint32_t first = places.number({"a", 3});
  const std::uint32_t second = places.number({"a", 9});
  const std::uint32_t other = places.number({"b", 1});
  const std::uint32_t again = places.number({"b", 1});  // the file is named twice
  EXPECT_EQ(places.text(first), "a:3");
  EXPECT_EQ(places.text(second), "a:9");
  EXPECT_EQ(places.text(other), "b:1");
  EXPECT_EQ(places.text(again), "b:1");
  EXPECT_EQ(places.text(places.number({"c", 4'000'000'000})), "c:4000000000");
}

TEST(PlaceTable, KnowsNoPlacePastItsBounds) {
  PlaceTable places;
  EXPECT_EQ(places.text(places.number({"a", 1ULL << 32})), "an earlier place");
  PlaceTable many;
  std::uint32_t last = 0;
  for (int i = 0; i < 10'001; ++i) last = many.number({std::to_string(i), 1});
  EXPECT_EQ(last, 0U);
  EXPECT_EQ(many.text(10'000), "9999:1");
}

}  // namespace
}  // namespace warpdex::build
