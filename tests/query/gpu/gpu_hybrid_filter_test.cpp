// Searches by vectors with a filter on the GPU: the answers are the CPU's over the same snapshot,
// to the bit, whatever share of the documents passes.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/query/gpu/filtered_hybrid.hpp"

namespace warpdex {
namespace {

using test::draw_filter;
using test::FilteredBoth;
using test::HybridQueries;
using test::Living;

constexpr std::array kTriedDepths{1U, 7U, 33U, 1000U, 10'000U};

void expect_every_share(Living& living, FilteredBoth& both, std::size_t count) {
  std::vector<DocumentFilter> filters{test::draw_one(living.random(), both.snapshot())};
  for (const std::size_t one_in : {0U, 300U, 10U, 2U, 1U}) {
    filters.push_back(draw_filter(living.random(), both.snapshot(), one_in));
  }
  for (const DocumentFilter& filter : filters) {
    const HybridQueries asked(living, count);
    SearchSettings settings = living.settings();
    settings.documents = &filter;
    const std::uint32_t depth = kTriedDepths[living.below(kTriedDepths.size())];
    both.expect_nearest(asked, 20, filter);
    both.expect_within(asked, settings, depth);
    both.expect_fused(asked, settings, depth);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(GpuHybridFilters, Tiny) {
  WARPDEX_NEEDS_GPU();
  Living living(940, CodecKind::kPfor, false);
  living.change(5);
  Resources resources;
  FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(living.index()), resources)}};
  for (const std::size_t count : {1, 33}) expect_every_share(living, both, count);
}

// Each codec has vectors of another form or metric.
TEST(GpuHybridFilters, OfEveryForm) {
  WARPDEX_NEEDS_GPU();
  std::uint64_t stream = 941;
  for (const bool weights : {false, true}) {
    for (const CodecKind codec : {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kRice}) {
      Living living(++stream, codec, weights, 700);
      for (int round = 0; round < 3; ++round) {
        living.change(5);
        Resources resources;
        FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(living.index()), resources)}};
        for (const std::size_t count : {1, 33}) expect_every_share(living, both, count);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

// Several tiles in some segments.
TEST(GpuHybridFilters, OverSeveralTiles) {
  WARPDEX_NEEDS_GPU();
  Living living(950, CodecKind::kBitpack, false, 40'000);
  for (const std::size_t count : {20'000, 3000, 129, 128, 127, 33, 1}) {
    living.add_some(count);
    living.commit();
  }
  living.remove_share(20);
  living.commit();
  Resources resources;
  FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(living.index()), resources)}};
  for (const std::size_t count : {1, 3, 100}) expect_every_share(living, both, count);
}

// One segment without documents that are live.
TEST(GpuHybridFilters, OverAnEmptySegment) {
  WARPDEX_NEEDS_GPU();
  Living living(954, CodecKind::kRice, false, 300);
  for (const std::size_t count : {50, 200}) {
    living.add_some(count);
    living.commit();
  }
  living.empty_segment(1, 300, 50);
  Resources resources;
  FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(living.index()), resources)}};
  for (const std::size_t count : {1, 33}) expect_every_share(living, both, count);
}

// More filters than sets of documents are kept, some of them again.
TEST(GpuHybridFilters, ManyFilters) {
  WARPDEX_NEEDS_GPU();
  Living living(951, CodecKind::kBitpack, false, 500);
  living.add_some(300);
  living.remove_share(10);
  living.commit();
  Resources resources;
  FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(living.index()), resources)}};
  std::vector<DocumentFilter> filters;
  for (int i = 0; i < 40; ++i) {
    filters.push_back(draw_filter(living.random(), both.snapshot(), 1 + living.below(20)));
  }
  for (int i = 0; i < 150; ++i) {
    const DocumentFilter& filter = filters[living.below(filters.size())];
    const HybridQueries asked(living, 3);
    SearchSettings settings = living.settings();
    settings.documents = &filter;
    both.expect_nearest(asked, 10, filter);
    if (i % 5 == 0) both.expect_within(asked, settings, 100);
    ASSERT_FALSE(HasFailure()) << i;
  }
}

// The CPU would take no GPU memory.
TEST(GpuHybridFilters, TheSearcherAsksTheGpu) {
  WARPDEX_NEEDS_GPU();
  Living living(952, CodecKind::kBitpack, false, 500);
  Resources resources;
  const GpuVectors vectors{GpuSnapshot(Snapshot::open(living.index()), resources)};
  const DocumentFilter filter = draw_filter(living.random(), vectors.snapshot().snapshot(), 2);
  const HybridQueries asked(living, 2);
  SearchSettings settings;
  settings.documents = &filter;
  for (const Fusion fusion : {Fusion::kFilter, Fusion::kNeighbors, Fusion::kConvex}) {
    const DocumentFilter other = draw_filter(living.random(), vectors.snapshot().snapshot(), 2);
    settings.documents = &other;
    HybridSearcher searcher(vectors, 2, [&](std::span<const Query> queries, const auto&) {
      return std::vector<TreeResult>(queries.size());
    });
    const std::size_t before = resources.memory().used();
    searcher.search(asked.queries, asked.vectors, settings, {.fusion = fusion});
    EXPECT_GT(resources.memory().used(), before) << static_cast<int>(fusion);
  }
  HybridSearcher searcher(vectors, 2);
  const std::size_t before = resources.memory().used();
  searcher.nearest(asked.vectors, 10, {}, &filter);
  EXPECT_GT(resources.memory().used(), before);
}

// There is no GPU memory left for a filter's documents.
TEST(GpuHybridFilters, MemoryLeavesTheCpuToSearch) {
  WARPDEX_NEEDS_GPU();
  Living living(953, CodecKind::kPfor, false, 2000);
  Resources resources;
  FilteredBoth both{GpuVectors{GpuSnapshot(Snapshot::open(living.index()), resources)}};
  const DocumentFilter filter = draw_filter(living.random(), both.snapshot(), 2);
  const HybridQueries asked(living, 3);
  SearchSettings settings;
  settings.documents = &filter;
  const Reservation others(resources.memory(), resources.memory().left());
  for (const Fusion fusion : {Fusion::kFilter, Fusion::kNeighbors, Fusion::kConvex}) {
    HybridSearcher cpu(both.snapshot(), 2);
    const auto wanted = cpu.search(asked.queries, asked.vectors, settings, {.fusion = fusion});
    const auto found =
        both.gpu().search(asked.queries, asked.vectors, settings, {.fusion = fusion});
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(found[i].hits, wanted[i].hits);
  }
}

}  // namespace
}  // namespace warpdex
