#include "warpdex/core/select/top_k.hpp"

#include <algorithm>

#include "tests/support.hpp"

namespace warpdex {
namespace {

using Pair = std::pair<float, std::uint32_t>;

TEST(TopK, MatchesASortForEveryKAndSizeTiesIncluded) {
  auto random = test::generator(1);
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1000, 5000}) {
    for (const std::size_t k : {1, 2, 10, 32, 33, 100, 1000, 10000}) {
      std::vector<Pair> pairs;
      for (std::uint32_t id = 0; id < n; ++id) {
        pairs.emplace_back(static_cast<float>(random() % 50) / 7.0F, id);
      }
      std::shuffle(pairs.begin(), pairs.end(), random);
      TopK top;
      top.reset(k);
      float last_threshold = 0;
      for (const auto& [score, id] : pairs) {
        top.insert(score, id);
        EXPECT_GE(top.threshold(), last_threshold);
        last_threshold = top.threshold();
      }
      std::vector<TopK::Entry> entries;
      top.take(entries);
      std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      ASSERT_EQ(entries.size(), std::min(n, k)) << "n " << n << " k " << k;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        ASSERT_EQ(entries[i].score, pairs[i].first) << "n " << n << " k " << k << " rank " << i;
        ASSERT_EQ(entries[i].id, pairs[i].second) << "n " << n << " k " << k << " rank " << i;
      }
    }
  }
}

TEST(TopK, ThresholdIsTheKthScoreOnceCompacted) {
  TopK top;
  top.reset(2);
  top.insert(1.0F, 7);
  top.compact();
  EXPECT_FALSE(top.full());
  EXPECT_EQ(top.threshold(), 0.0F);
  top.insert(3.0F, 8);
  top.insert(2.0F, 9);
  top.compact();
  EXPECT_TRUE(top.full());
  EXPECT_EQ(top.threshold(), 2.0F);
}

TEST(TopK, ThresholdStartsWhereResetPutsIt) {
  TopK top;
  top.reset(2, 1.5F);
  EXPECT_FALSE(top.full());
  EXPECT_EQ(top.threshold(), 1.5F);
  top.insert(1.5F, 7);
  top.insert(4.0F, 9);
  top.compact();
  EXPECT_TRUE(top.full());
  EXPECT_EQ(top.threshold(), 1.5F);
  top.insert(2.0F, 3);
  std::vector<TopK::Entry> entries;
  top.take(entries);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].id, 3U);
  top.reset(2);
  EXPECT_EQ(top.threshold(), 0.0F);
}

}  // namespace
}  // namespace warpdex
