// The queries of a batch in query_groups: each query and each of its ranges in one of them.
#include <gtest/gtest.h>

#include "gpu/batch/batch_image.hpp"

namespace warpdex::gpu {
namespace {

/// What there is of an image's queries of OR.
struct OrQueries {
  std::vector<List> lists;
  std::vector<BlockRange> ranges;
  std::uint32_t queries = 0;

  /// Adds a query whose lists have so many ranges each; the last may be prohibited.
  void add(const std::vector<std::uint32_t>& counts, bool prohibits) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      List list{};
      list.or_query = queries;
      list.flags = prohibits && i + 1 == counts.size() ? kProhibited : 0U;
      const auto place = static_cast<std::uint32_t>(lists.size());
      lists.push_back(list);
      for (std::uint32_t block = 0; block < counts[i]; ++block) {
        ranges.push_back({place, block, 1});
      }
    }
    ++queries;
  }

  std::vector<QueryGroup> query_groups(std::uint32_t at_once) {
    BatchShape shape;
    shape.or_queries = queries;
    shape.table_ranges = static_cast<std::uint32_t>(ranges.size());
    ImageParts host{};
    host.lists = lists.data();
    host.table_ranges = ranges.data();
    return gpu::query_groups(shape, host, at_once);
  }
};

void expect_group(const QueryGroup& group, const QueryGroup& right) {
  EXPECT_EQ(group.first_query, right.first_query);
  EXPECT_EQ(group.queries, right.queries);
  EXPECT_EQ(group.first_range, right.first_range);
  EXPECT_EQ(group.ranges, right.ranges);
  EXPECT_EQ(group.has_prohibited, right.has_prohibited);
}

TEST(BatchImage, WavesHoldAllQueriesAndTheirStretches) {
  OrQueries image;
  EXPECT_TRUE(image.query_groups(1).empty());
  image.lists.resize(2);  // of AND
  image.add({3, 1}, false);
  image.add({1}, false);
  image.add({2, 2, 1}, true);
  const std::vector<QueryGroup> by_two = image.query_groups(2);
  ASSERT_EQ(by_two.size(), 2U);
  expect_group(by_two[0], {0, 2, 0, 5, false});
  expect_group(by_two[1], {2, 1, 5, 5, true});
  const std::vector<QueryGroup> alone = image.query_groups(1);
  ASSERT_EQ(alone.size(), 3U);
  expect_group(alone[1], {1, 1, 4, 1, false});
  const std::vector<QueryGroup> together = image.query_groups(100);
  ASSERT_EQ(together.size(), 1U);
  expect_group(together[0], {0, 3, 0, 10, true});
}

}  // namespace
}  // namespace warpdex::gpu
