// A batch's distinct lists have rows, blocks and block ranges of their own, whoever adds them.
#include "gpu/batch/posting_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace warpdex::gpu {
namespace {

constexpr std::size_t kStoredTerms = 100;

PostingsEntry entry_of(std::uint32_t term, std::uint32_t postings) {
  PostingsEntry entry;
  entry.term_number = term;
  entry.document_frequency = postings;
  return entry;
}

std::vector<PostingsEntry> ugly_entries() {
  std::vector<PostingsEntry> entries;
  const std::uint32_t range = kShortRangeBlocks * kBlockSize;
  for (const std::uint32_t postings :
       {1U, 127U, 128U, 129U, range - 1, range, range + 1, 3 * range}) {
    entries.push_back(entry_of(static_cast<std::uint32_t>(entries.size() * 3), postings));
  }
  return entries;
}

std::uint32_t blocks_of(const PostingsEntry& entry) {
  return (entry.document_frequency + kBlockSize - 1) / kBlockSize;
}

/// Threads that claim lists and the lists that each got.
std::vector<std::vector<PostingsEntry>> claim(PostingStore& store,
                                              const std::vector<PostingsEntry>& entries,
                                              std::size_t threads) {
  std::vector<std::vector<PostingsEntry>> claimed(threads);
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      for (const PostingsEntry& entry : entries) {
        if (store.claim(entry)) claimed[i].push_back(entry);
      }
    });
  }
  running.clear();
  return claimed;
}

TEST(PostingStore, EachListIsClaimedOnceAndHasPlacesOfItsOwn) {
  const std::vector<PostingsEntry> entries = ugly_entries();
  PostingStore store;
  for (int round = 0; round < 3; ++round) {
    store.clear();
    EXPECT_TRUE(store.is_empty());
    store.open(kStoredTerms);
    std::size_t lists = 0;
    for (const auto& own : claim(store, entries, 4)) {
      lists += own.size();
      for (const PostingsEntry& entry : own) store.add(entry);
    }
    store.close();
    EXPECT_EQ(lists, entries.size());
    EXPECT_EQ(store.rows(), entries.size());
    std::set<std::uint32_t> rows;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // blocks
    for (std::size_t i = 0; i < entries.size(); ++i) {
      ListUse list{};
      store.place(entries[i], static_cast<std::uint32_t>(i), list);
      rows.insert(list.stored_row);
      places.emplace_back(list.stored_block, list.stored_block + blocks_of(entries[i]));
    }
    EXPECT_EQ(rows.size(), entries.size());
    EXPECT_EQ(*rows.rbegin() + 1, store.rows());
    std::sort(places.begin(), places.end());
    std::uint32_t end = 0;
    for (const auto& [first, last] : places) {
      EXPECT_EQ(first, end);
      end = last;
    }
    EXPECT_EQ(end, store.blocks());
  }
}

// A failure may come between claiming lists and adding them, or between two lists.
TEST(PostingStore, ForgetsListsThatWereClaimedButNotAdded) {
  const std::vector<PostingsEntry> entries = ugly_entries();
  PostingStore store;
  for (std::size_t added = 0; added <= entries.size(); ++added) {
    store.open(kStoredTerms);
    for (const PostingsEntry& entry : entries) ASSERT_TRUE(store.claim(entry)) << added;
    for (std::size_t i = 0; i < added; ++i) store.add(entries[i]);
    store.clear();
    EXPECT_TRUE(store.is_empty());
    EXPECT_EQ(store.blocks(), 0);
    EXPECT_EQ(store.ranges(), 0);
  }
}

/// Claims and adds lists, in this order, on one thread.
void add_all(const std::vector<PostingsEntry>& entries, PostingStore& store) {
  store.open(kStoredTerms);
  for (const PostingsEntry& entry : entries) {
    ASSERT_TRUE(store.claim(entry));
    store.add(entry);
  }
  store.close();
}

TEST(PostingStore, RangesCoverEachPlacedListOnce) {
  const std::vector<PostingsEntry> entries = ugly_entries();
  PostingStore store;
  add_all(entries, store);
  for (std::size_t i = 1; i < entries.size(); ++i) {  // the first is in no query that OR reads
    ListUse list{};
    store.place(entries[i], static_cast<std::uint32_t>(i), list);
  }
  std::vector<BlockRange> ranges(store.ranges());
  store.write_ranges(ranges.data());
  std::vector<std::uint32_t> covered(entries.size());
  for (const BlockRange& range : ranges) {
    if (range.blocks == 0) continue;
    ASSERT_LT(range.owner, entries.size());
    EXPECT_LE(range.blocks, kShortRangeBlocks);
    EXPECT_EQ(range.first, covered[range.owner]);
    covered[range.owner] += range.blocks;
  }
  EXPECT_EQ(covered[0], 0);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    EXPECT_EQ(covered[i], blocks_of(entries[i])) << i;
  }
}

TEST(PostingStore, TellsWhereRowsBegin) {
  const std::vector<PostingsEntry> entries = ugly_entries();
  PostingStore store;
  add_all(entries, store);
  const std::size_t placed = entries.size() - 1;  // the last is in no query that OR reads
  std::vector<std::uint32_t> wanted(entries.size(), kNone);
  for (std::size_t i = 0; i < placed; ++i) {
    ListUse list{};
    store.place(entries[i], static_cast<std::uint32_t>(i), list);
    ASSERT_EQ(list.stored_row, i);  // rows are in the order of adding
    wanted[i] = list.stored_block * kBlockSize;
  }
  for (std::uint32_t rows = 0; rows <= entries.size(); ++rows) {
    std::vector<std::uint32_t> firsts(rows);
    store.write_firsts(rows, firsts.data());
    EXPECT_TRUE(std::ranges::equal(firsts, std::span(wanted).first(rows))) << rows;
  }
}

}  // namespace
}  // namespace warpdex::gpu
