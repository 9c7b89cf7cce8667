// The queries of a batch in waves: each query and each of its stretches in one of them.
#include <gtest/gtest.h>

#include "warpdex/query/gpu/batch_builder.hpp"

namespace warpdex::gpu {
namespace {

/// Adds a query of OR whose lists have so many stretches each; the last may be prohibited.
void add_query(BatchImage& image, const std::vector<std::uint32_t>& stretches, bool prohibits) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    List list{};
    list.owner = static_cast<std::uint32_t>(image.or_queries.size());
    list.flags = prohibits && i + 1 == stretches.size() ? kProhibited : 0U;
    const auto place = static_cast<std::uint32_t>(image.lists.size());
    image.lists.push_back(list);
    for (std::uint32_t block = 0; block < stretches[i]; ++block) {
      image.table_stretches.push_back({place, block, 1});
    }
  }
  image.or_queries.push_back({});
}

void expect_wave(const Wave& wave, const Wave& right) {
  EXPECT_EQ(wave.first_query, right.first_query);
  EXPECT_EQ(wave.queries, right.queries);
  EXPECT_EQ(wave.first_stretch, right.first_stretch);
  EXPECT_EQ(wave.stretches, right.stretches);
  EXPECT_EQ(wave.has_prohibited, right.has_prohibited);
}

TEST(BatchImage, WavesHoldAllQueriesAndTheirStretches) {
  BatchImage image;
  EXPECT_TRUE(image.waves(1).empty());
  image.lists.resize(2);  // of AND
  add_query(image, {3, 1}, false);
  add_query(image, {1}, false);
  add_query(image, {2, 2, 1}, true);
  const std::vector<Wave> by_two = image.waves(2);
  ASSERT_EQ(by_two.size(), 2U);
  expect_wave(by_two[0], {0, 2, 0, 5, false});
  expect_wave(by_two[1], {2, 1, 5, 5, true});
  const std::vector<Wave> alone = image.waves(1);
  ASSERT_EQ(alone.size(), 3U);
  expect_wave(alone[1], {1, 1, 4, 1, false});
  const std::vector<Wave> together = image.waves(100);
  ASSERT_EQ(together.size(), 1U);
  expect_wave(together[0], {0, 3, 0, 10, true});
}

}  // namespace
}  // namespace warpdex::gpu
