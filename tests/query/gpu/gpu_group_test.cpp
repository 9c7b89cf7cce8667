// Shards and replicas: the answers are the CPU's over the whole, to the bit. GPUs may be the same
// one several times.
#include "warpdex/query/gpu/gpu_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "tests/query/filter/filtered_index.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex {
namespace {

using test::disagreement;
using test::expect_right;
using test::FilteredIndex;
using test::Living;
using test::LivingLog;

/// The largest of the runs that begin at `begins`.
std::uint64_t largest(std::span<const std::uint64_t> bytes, std::span<const std::size_t> begins) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    most = std::max(
        most, std::accumulate(bytes.begin() + std::ptrdiff_t(begins[i]),
                              bytes.begin() + std::ptrdiff_t(begins[i + 1]), std::uint64_t{0}));
  }
  return most;
}

/// The smallest that any cut has, from segment `first` on.
std::uint64_t best_cut(std::span<const std::uint64_t> bytes, std::size_t first,
                       std::size_t shards) {
  const std::uint64_t all =
      std::accumulate(bytes.begin() + std::ptrdiff_t(first), bytes.end(), std::uint64_t{0});
  if (shards == 1) return all;
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  for (std::size_t end = first + 1; end + shards - 1 <= bytes.size(); ++end) {
    sum += bytes[end - 1];
    best = std::min(best, std::max(sum, best_cut(bytes, end, shards - 1)));
  }
  return best;
}

TEST(CutIntoShards, TheLargestIsAsSmallAsCanBe) {
  auto random = test::generator(960);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> bytes(1 + random() % 9);
    for (std::uint64_t& each : bytes) each = random() % (random() % 2 == 0 ? 4 : 1'000'000);
    for (std::size_t shards = 1; shards <= bytes.size(); ++shards) {
      const std::vector<std::size_t> begins = cut_into_shards(bytes, shards);
      ASSERT_EQ(begins.size(), shards + 1);
      EXPECT_EQ(begins.front(), 0U);
      EXPECT_EQ(begins.back(), bytes.size());
      EXPECT_TRUE(std::ranges::adjacent_find(begins, std::ranges::greater_equal{}) == begins.end());
      EXPECT_EQ(largest(bytes, begins), best_cut(bytes, 0, shards));
    }
    std::vector<std::size_t> begins = cut_into_shards(bytes, bytes.size());
    begins.insert(begins.end(), 2, bytes.size());
    EXPECT_EQ(cut_into_shards(bytes, bytes.size() + 2), begins);
  }
  EXPECT_THROW(cut_into_shards({}, 0), UsageError);
  EXPECT_EQ(cut_into_shards({}, 2), (std::vector<std::size_t>{0, 0, 0}));
}

/// So many shards and replicas, on two accounts of the same GPU.
struct Layout {
  std::size_t shards;
  std::size_t replicas;

  GpuGroup open(const Snapshot& snapshot) {
    std::vector<Resources*> gpus;
    for (std::size_t i = 0; i < shards * replicas; ++i) gpus.push_back(i % 3 == 1 ? &two : &one);
    return GpuGroup(snapshot, gpus, shards);
  }

  Resources one{};
  Resources two{};
};

void expect_group(Living& living, const GpuGroup& group, std::size_t queries) {
  const Snapshot& snapshot = group.snapshot();
  GpuGroupEngine engine(group, {.max_batches = 2});
  const LivingLog log(living, snapshot, queries);
  const Ticket all = engine.submit(log.plans, log.settings);
  const Ticket some =
      engine.submit(std::span(log.plans).first(1), std::span(log.settings).first(1));
  EXPECT_THROW(engine.submit(log.plans, log.settings), UsageError);
  while (!engine.poll(some)) {
  }
  expect_right(snapshot, log, 0, engine.wait(some));
  expect_right(snapshot, log, 0, engine.wait(all));
  EXPECT_THROW(engine.poll(all), UsageError);
  for (std::size_t i = 0; i < std::min<std::size_t>(queries, 4); ++i) {
    expect_right(
        snapshot, log, i,
        engine.run(std::span(log.plans).subspan(i, 1), std::span(log.settings).subspan(i, 1)));
  }
}

TEST(GpuGroup, TinyOfManyLayouts) {
  WARPDEX_NEEDS_GPU();
  std::uint64_t stream = 961;
  for (const auto& [codec, weights] :
       {std::pair{CodecKind::kBitpack, false}, std::pair{CodecKind::kPfor, true},
        std::pair{CodecKind::kRice, false}}) {
    Living living(stream++, codec, weights, 400);
    for (int i = 0; i < 4; ++i) {
      living.add_some(100 + living.below(200));
      living.commit();
    }
    const Snapshot snapshot = Snapshot::open(living.index());
    for (const std::size_t shards : {1U, 2U, 3U}) {
      if (shards > snapshot.segments().size()) continue;
      for (const std::size_t replicas : {1U, 2U}) {
        Layout layout{shards, replicas};
        expect_group(living, layout.open(snapshot), 40);
        ASSERT_FALSE(HasFailure()) << shards << " shards, " << replicas << " replicas";
      }
    }
  }
}

// Batches that several replicas share.
TEST(GpuGroup, LargeBatches) {
  WARPDEX_NEEDS_GPU();
  Living living(964, CodecKind::kBitpack, false, 30'000);
  living.add_some(20'000);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  for (const auto& [shards, replicas] : {std::pair{1U, 3U}, std::pair{2U, 1U}, std::pair{2U, 2U}}) {
    Layout layout{shards, replicas};
    const GpuGroup group = layout.open(snapshot);
    for (const std::size_t queries : {511U, 512U, 1'100U}) expect_group(living, group, queries);
    ASSERT_FALSE(HasFailure()) << shards << " shards, " << replicas << " replicas";
  }
}

// Segments stay where they are, and new ones come to the last shard, until it is too large.
TEST(GpuGroup, IndexesThatChange) {
  WARPDEX_NEEDS_GPU();
  Living living(965, CodecKind::kPfor, false, 3'000);
  living.add_some(3'000);
  living.commit();
  Layout layout{2, 2};
  GpuGroup group = layout.open(Snapshot::open(living.index()));
  EXPECT_EQ(group.shards(), 2U);
  EXPECT_EQ(group.replicas(), 2U);
  EXPECT_EQ(group.new_memory(), group.memory());
  living.add_some(100);
  living.commit();
  group = group.next(Snapshot::open(living.index()));
  EXPECT_LT(group.new_memory(), group.memory() / 5);
  expect_group(living, group, 40);
  for (int i = 0; i < 12; ++i) {
    living.change(1 + living.below(5));
    if (i == 9) living.merge();
    if (i == 10) living.remove_share(100);
    living.commit();
    group = group.next(Snapshot::open(living.index()));
    expect_group(living, group, 40);
    ASSERT_FALSE(HasFailure()) << "change " << i;
  }
}

TEST(GpuGroup, Filters) {
  WARPDEX_NEEDS_GPU();
  FilteredIndex index(966, CodecKind::kBitpack, 20'000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  ASSERT_GT(snapshot.segments().size(), 1U);
  Layout layout{2, 2};
  GpuGroupEngine engine(layout.open(snapshot));
  std::vector<std::unique_ptr<const DocumentFilter>> filters;
  for (int i = 0; i < 3; ++i) {
    filters.push_back(
        std::make_unique<const DocumentFilter>(evaluate_filter(snapshot, index.filter())));
  }
  for (const std::size_t queries : {1U, 40U, 700U}) {
    std::vector<PlannedQuery> plans;
    std::vector<SearchSettings> settings;
    for (std::size_t i = 0; i < queries; ++i) {
      plans.push_back(plan_query(snapshot, index.query()));
      settings.push_back(index.settings());
      settings.back().documents = filters[index.random()() % filters.size()].get();
    }
    const BatchAnswers answers = engine.run(plans, settings);
    CpuSearcher cpu(snapshot);
    for (std::size_t i = 0; i < queries; ++i) {
      ASSERT_TRUE(answers[i].is_answered);
      ASSERT_EQ(disagreement(cpu.run(plans[i], settings[i]), answers.result(i), settings[i]), "");
    }
  }
}

TEST(GpuGroup, WrongNumbersOfGpus) {
  WARPDEX_NEEDS_GPU();
  Living living(967, CodecKind::kBitpack, false, 100);
  const Snapshot snapshot = Snapshot::open(living.index());
  Resources resources;
  Resources* const gpu = &resources;
  const std::vector<Resources*> three{gpu, gpu, gpu};
  EXPECT_THROW(GpuGroup(snapshot, {}, 1), UsageError);
  EXPECT_THROW(GpuGroup(snapshot, three, 2), UsageError);
  EXPECT_EQ(GpuGroup(snapshot, three, 1).replicas(), 3U);
  EXPECT_EQ(GpuGroup(snapshot, three, 3).used_shards(), 1U);  // it has one segment
}

}  // namespace
}  // namespace warpdex
