// The queries of a batch in waves: each query and each of its stretches in one of them.
#include <gtest/gtest.h>

#include "gpu/batch/batch_image.hpp"

namespace warpdex::gpu {
namespace {

/// What there is of an image's queries of OR.
struct OrQueries {
  std::vector<List> lists;
  std::vector<Stretch> stretches;
  std::uint32_t queries = 0;

  /// Adds a query whose lists have so many stretches each; the last may be prohibited.
  void add(const std::vector<std::uint32_t>& counts, bool prohibits) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      List list{};
      list.owner = queries;
      list.flags = prohibits && i + 1 == counts.size() ? kProhibited : 0U;
      const auto place = static_cast<std::uint32_t>(lists.size());
      lists.push_back(list);
      for (std::uint32_t block = 0; block < counts[i]; ++block) {
        stretches.push_back({place, block, 1});
      }
    }
    ++queries;
  }

  std::vector<Wave> waves(std::uint32_t at_once) {
    BatchShape shape;
    shape.or_queries = queries;
    shape.table_stretches = static_cast<std::uint32_t>(stretches.size());
    ImageParts host{};
    host.lists = lists.data();
    host.table_stretches = stretches.data();
    return gpu::waves(shape, host, at_once);
  }
};

void expect_wave(const Wave& wave, const Wave& right) {
  EXPECT_EQ(wave.first_query, right.first_query);
  EXPECT_EQ(wave.queries, right.queries);
  EXPECT_EQ(wave.first_stretch, right.first_stretch);
  EXPECT_EQ(wave.stretches, right.stretches);
  EXPECT_EQ(wave.has_prohibited, right.has_prohibited);
}

TEST(BatchImage, WavesHoldAllQueriesAndTheirStretches) {
  OrQueries image;
  EXPECT_TRUE(image.waves(1).empty());
  image.lists.resize(2);  // of AND
  image.add({3, 1}, false);
  image.add({1}, false);
  image.add({2, 2, 1}, true);
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
