// Which queries of a filtered search have their rows read. Runs without a GPU.
#include "gpu/hybrid/set_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::gpu {
namespace {

constexpr double kDocuments = 1e6;
constexpr double kRowBytes = 512;

TEST(SetGroups, ManyQueriesOfLargeSetsAreSearchedTogether) {
  const SetGroups alone = group_sets(std::vector<double>{0.5}, 10, kDocuments, kRowBytes);
  EXPECT_EQ(alone.few.size(), 1U);
  const SetGroups many = group_sets(std::vector<double>(1000, 0.5), 10, kDocuments, kRowBytes);
  EXPECT_EQ(many.many.size(), 1000U);
  EXPECT_GE(many.wide_k, 20U);  // half of them pass
  const SetGroups small = group_sets(std::vector<double>(1000, 0.001), 10, kDocuments, kRowBytes);
  EXPECT_EQ(small.few.size(), 1000U);
}

TEST(SetGroups, SearchesThatWouldFindTooFewAreNotWide) {
  const SetGroups groups = group_sets(std::vector<double>(1000, 0.3), 1000, kDocuments, kRowBytes);
  EXPECT_EQ(groups.few.size(), 1000U);
}

TEST(SetGroups, EachQueryIsInOneOfThem) {
  std::mt19937_64 random = test::generator(965);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> shares(random() % 300);
    for (double& share : shares) share = static_cast<double>(random() % 1001) / 1000;
    const auto k = static_cast<std::uint32_t>(1 + random() % 3000);
    const SetGroups groups =
        group_sets(shares, k, static_cast<double>(random() % 2'000'000), kRowBytes);
    std::vector<std::uint32_t> all = groups.few;
    all.insert(all.end(), groups.many.begin(), groups.many.end());
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> wanted(shares.size());
    std::iota(wanted.begin(), wanted.end(), 0U);
    ASSERT_EQ(all, wanted) << round;
    ASSERT_LE(groups.wide_k, vector::GpuSegmentSearcher::kMaxWide) << round;
    ASSERT_TRUE(groups.many.empty() || groups.wide_k >= k) << round;
  }
}

}  // namespace
}  // namespace warpdex::gpu
