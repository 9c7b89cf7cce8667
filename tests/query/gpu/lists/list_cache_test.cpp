// The list cache by itself: what batches under way may read stays, and nobody waits for copies.
#include "gpu/lists/list_cache.hpp"

#include <algorithm>
#include <optional>

#include "generate/generator.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

/// A generated index and its long lists, the largest first.
struct Lists {
  Lists() {
    generate::GeneratorSettings settings = generate::gov2_settings();
    settings.documents = 20'000;
    settings.queries = 30;
    settings.seed = test::seed();
    generate::GeneratorReport report;
    generate::generate_collection(settings, {CodecKind::kBitpack, 1}, false, folder / "index", 2,
                                  {}, report);
    index.emplace(Index::open(folder / "index"));
    index->for_each_term([&](std::string_view, const PostingsEntry& entry) {
      if (!entry.is_short()) all.push_back(entry);
    });
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.docid_bytes + a.frequency_bytes > b.docid_bytes + b.frequency_bytes;
    });
  }

  std::size_t bytes() const {
    return index->sections().docids.size() + index->sections().frequencies.size();
  }

  test::TemporaryFolder folder;
  std::optional<Index> index;
  std::vector<PostingsEntry> all;
};

std::vector<PlannedQuery> queries_of(const PostingsEntry& list, std::size_t count) {
  PlannedTerm term{};
  term.entry = list;
  PlannedQuery query{};
  query.terms.push_back(term);
  return std::vector<PlannedQuery>(count, query);
}

void wait_for_gpu() { DeviceBuffer(1); }  // to free memory waits

TEST(ListCache, WhatABatchUnderWayMayReadStays) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Lists lists;
  ASSERT_GT(lists.all.size(), 1U);
  const PostingsEntry& large = lists.all.front();
  const PostingsEntry& small = lists.all[lists.all.size() / 2];
  const HostLists host(*lists.index, 4 * lists.bytes() + 65'536, 0);
  MemoryBudget budget(lists.bytes() + 65'536);
  ListCache cache(*lists.index, host, large.docid_bytes + large.frequency_bytes + 400, budget, 0);
  const auto is_resident = [&](const PostingsEntry& list) {
    return cache.find(list).docids != host.find(list).docids;
  };
  const std::vector<PlannedQuery> cold = queries_of(large, 2);
  const std::vector<PlannedQuery> hot = queries_of(small, 1'000);
  BatchLists reader;
  BatchLists other;
  cache.begin(cold, reader);
  EXPECT_EQ(reader.uses.size(), 2U);
  EXPECT_EQ(reader.hits, 0U);
  EXPECT_TRUE(reader.unanswerable.empty());
  EXPECT_GE(cache.load(reader), large.docid_bytes + large.frequency_bytes);
  EXPECT_FALSE(is_resident(large)) << "not before a batch begins that has seen it arrive";
  cache.end(reader);
  wait_for_gpu();
  cache.begin(cold, reader);
  EXPECT_EQ(reader.hits, 2U);
  EXPECT_TRUE(is_resident(large));
  cache.begin(hot, other);
  EXPECT_EQ(cache.load(other), 0U) << "another batch may read what would have to go";
  cache.end(other);
  EXPECT_TRUE(is_resident(large));
  cache.end(reader);
  cache.begin(hot, other);
  EXPECT_EQ(other.hits, 0U);
  EXPECT_GT(cache.load(other), 0U);
  EXPECT_FALSE(is_resident(large));
  cache.end(other);
  wait_for_gpu();
  cache.begin(hot, other);
  EXPECT_EQ(other.hits, hot.size());
  EXPECT_TRUE(is_resident(small));
  cache.end(other);
}

TEST(ListCache, ListsThatTheHostHasNoCopyOfAreUnanswerableUntilTheyAreIn) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const Lists lists;
  const HostLists host(*lists.index, 0, 0);
  MemoryBudget budget(4 * lists.bytes() + 65'536);
  ListCache cache(*lists.index, host, budget.limit(), budget, 0);
  std::vector<PlannedQuery> plans = queries_of(lists.all.front(), 1);
  plans.push_back({});
  plans.push_back(queries_of(lists.all.back(), 1)[0]);
  BatchLists batch;
  cache.begin(plans, batch);
  EXPECT_EQ(batch.unanswerable, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_GT(cache.load(batch), 0U);
  cache.end(batch);
  wait_for_gpu();
  cache.begin(plans, batch);
  EXPECT_TRUE(batch.unanswerable.empty());
  EXPECT_EQ(batch.hits, 2U);
  EXPECT_EQ(cache.load(batch), 0U);
  cache.end(batch);
}

}  // namespace
}  // namespace warpdex::gpu
