// Changed indexes on the GPU: the answers are the CPU's over the same snapshot, to the bit; the
// next snapshot uploads what is new; batches keep theirs.
#include "warpdex/query/gpu/gpu_snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using test::bits_of_tiles;
using test::expect_as_cpu;
using test::expect_right;
using test::Kind;
using test::Living;
using test::LivingLog;
using test::Uploaded;

class GpuSnapshotTest : public testing::TestWithParam<Kind> {};

TEST_P(GpuSnapshotTest, TinyRandomOperations) {
  WARPDEX_NEEDS_GPU();
  Living living(880, GetParam().codec, GetParam().weights);
  Uploaded uploaded;
  for (int round = 0; round < 6; ++round) {
    living.change(1 + living.below(5));
    if (living.below(3) == 0) {
      living.close();
      living.open();
    }
    expect_as_cpu(living, uploaded.open(living), 40);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, GpuSnapshotTest,
    testing::Values(Kind{CodecKind::kBitpack, false}, Kind{CodecKind::kPfor, false},
                    Kind{CodecKind::kPforBlock, false}, Kind{CodecKind::kRice, false},
                    Kind{CodecKind::kBitpack, true}, Kind{CodecKind::kPfor, true}));

// Several tiles a segment, a fifth of the documents removed, in every way to search.
TEST(GpuSnapshot, SeveralTilesInEveryWay) {
  WARPDEX_NEEDS_GPU();
  for (const Kind& kind : {Kind{CodecKind::kBitpack, false}, Kind{CodecKind::kPfor, true}}) {
    Living living(881, kind.codec, kind.weights, 40'000);
    living.add_some(17'000);
    living.commit();
    Uploaded uploaded;
    expect_as_cpu(living, uploaded.open(living), 40);
    living.remove_share(20);
    living.commit();
    const GpuSnapshot& gpu = uploaded.open(living);
    EXPECT_EQ(gpu.new_memory(), bits_of_tiles(3) + bits_of_tiles(2));
    for (const test::Way& way : test::kWays) {
      expect_as_cpu(living, gpu, 60, way.ablation);
      ASSERT_FALSE(HasFailure()) << way.name;
    }
  }
}

TEST(GpuSnapshot, TenSegments) {
  WARPDEX_NEEDS_GPU();
  Living living(882, CodecKind::kPfor, false, 1'000);
  Uploaded uploaded;
  std::size_t first = uploaded.open(living).new_memory();
  for (int i = 0; i < 9; ++i) {
    living.add_some(1'000);
    living.commit();
    EXPECT_LT(uploaded.open(living).new_memory(), 2 * first);
  }
  expect_as_cpu(living, uploaded.open(living), 300);
}

// Each batch brings rows of new terms, and reads those that batches in other lanes have brought.
TEST(GpuSnapshot, ManySegmentsAndBatchesUnderWay) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kQueries = 400;
  constexpr std::size_t kUnderWay = 3;
  for (const Kind& kind : {Kind{CodecKind::kPfor, false}, Kind{CodecKind::kBitpack, true}}) {
    Living living(894, kind.codec, kind.weights, 2'000);
    for (int i = 1; i < 33; ++i) {
      living.add_some(1 + living.below(300));
      living.commit();
    }
    living.remove_share(10);
    living.commit();
    Uploaded uploaded;
    GpuEngine engine(uploaded.open(living), {.max_batches = kUnderWay});
    const Snapshot snapshot = Snapshot::open(living.index());
    ASSERT_GT(snapshot.segments().size(), 25U);
    const LivingLog log(living, snapshot, 8 * kQueries);
    const std::span plans(log.plans);
    const std::span settings(log.settings);
    std::vector<Ticket> tickets;
    for (std::size_t first = 0; first < plans.size() + kUnderWay * kQueries; first += kQueries) {
      if (first >= kUnderWay * kQueries) {
        const std::size_t done = first - kUnderWay * kQueries;
        expect_right(snapshot, log, done, engine.wait(tickets[done / kQueries]));
        ASSERT_FALSE(HasFailure());
      }
      if (first >= plans.size()) continue;
      tickets.push_back(
          engine.submit(plans.subspan(first, kQueries), settings.subspan(first, kQueries)));
    }
  }
}

// With more than 2,048 block ranges, AND takes CTAs of two warps.
TEST(GpuSnapshot, AndOfManyQueries) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kQueries = 12'000;
  for (const CodecKind codec :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kPforBlock, CodecKind::kRice}) {
    for (const bool weights : {false, true}) {
      Living living(895, codec, weights, 2'000);
      living.add_some(600);
      living.remove_share(10);
      living.commit();
      Uploaded uploaded;
      const Snapshot snapshot = Snapshot::open(living.index());
      GpuEngine engine(uploaded.open(living));
      LivingLog log(living, snapshot, kQueries);
      for (const ScorerKind scorer : {ScorerKind::kBm25, ScorerKind::kQueryLikelihood}) {
        SearchSettings settings;
        settings.mode = QueryMode::kAnd;
        settings.k = static_cast<std::uint32_t>(1 + living.below(30));
        settings.scorer = effective_scorer(snapshot.settings(), ScorerSettings{.kind = scorer});
        std::ranges::fill(log.settings, settings);
        const BatchAnswers answers = engine.run(log.plans, {&settings, 1});
        expect_right(snapshot, log, 0, answers);
        std::size_t with_ranges = 0;  // each has one at least
        for (std::size_t i = 0; i < answers.size(); ++i) {
          if (log.plans[i].terms.size() > 1 && !answers[i].hits.empty()) ++with_ranges;
        }
        EXPECT_GT(with_ranges, 2'048U);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

TEST(GpuSnapshot, AThousandOperations) {
  WARPDEX_NEEDS_GPU();
  Living living(893, CodecKind::kBitpack, false);
  Uploaded uploaded;
  for (int i = 0; i < 1'000; ++i) {
    switch (living.below(8)) {
      case 0: living.merge(); break;
      case 1: living.update(); break;
      case 2: living.commit(); break;
      case 3: living.remove(); break;
      case 4:
        living.commit();
        living.close();
        living.open();
        break;
      default: living.add();
    }
    if (i % 20 != 19) continue;
    living.commit();
    expect_as_cpu(living, uploaded.open(living), 40);
    ASSERT_FALSE(HasFailure()) << "operation " << i;
  }
}

TEST(GpuSnapshot, RemovedSegments) {
  WARPDEX_NEEDS_GPU();
  Living living(883, CodecKind::kBitpack, false);
  living.add_some(200);
  living.commit();
  living.add_some(1);
  living.commit();
  Uploaded uploaded;
  expect_as_cpu(living, uploaded.open(living), 30);
  living.remove_last(201);  // two whole segments
  living.commit();
  expect_as_cpu(living, uploaded.open(living), 30);
  living.remove_share(100);
  living.commit();
  const GpuSnapshot& gpu = uploaded.open(living);
  EXPECT_EQ(gpu.snapshot().documents(), 0U);
  expect_as_cpu(living, gpu, 30);
  living.add_some(3);
  living.commit();
  expect_as_cpu(living, uploaded.open(living), 30);
}

TEST(GpuSnapshot, BatchesKeepTheirSnapshot) {
  WARPDEX_NEEDS_GPU();
  Living living(884, CodecKind::kBitpack, false, 5'000);
  living.remove_share(5);
  living.commit();
  Uploaded uploaded;
  std::optional<GpuEngine> before(std::in_place, uploaded.open(living));
  const Snapshot snapshot = Snapshot::open(living.index());
  const LivingLog log(living, snapshot, 100);
  const Ticket first = before->submit(log.plans, log.settings);
  const Ticket second = before->submit(log.plans, log.settings);
  living.remove_share(30);
  living.add();
  living.commit();
  living.merge();
  living.commit();
  expect_as_cpu(living, uploaded.open(living), 30);
  uploaded.close();
  expect_right(snapshot, log, 0, before->wait(second));
  expect_right(snapshot, log, 0, before->wait(first));
  EXPECT_THROW(before->wait(first), UsageError);
  const Ticket dropped = before->submit(log.plans, log.settings);
  before->poll(dropped);
  before.reset();
  EXPECT_EQ(uploaded.used(), 0U);
}

TEST(GpuSnapshot, MemoryReturns) {
  WARPDEX_NEEDS_GPU();
  Living living(885, CodecKind::kBitpack, false);
  living.add_some(100);
  living.commit();
  Resources resources;
  const Snapshot first = Snapshot::open(living.index());
  std::optional<GpuSnapshot> old(std::in_place, first, resources);
  EXPECT_EQ(resources.memory().used(), old->memory());
  EXPECT_LT(old->new_memory(), old->memory());
  living.remove_last(1);
  living.commit();
  std::optional<GpuSnapshot> next(old->next(Snapshot::open(living.index())));
  EXPECT_EQ(next->new_memory(), bits_of_tiles(1));
  EXPECT_GE(resources.memory().used(), next->memory());  // both join their segments
  old.reset();
  EXPECT_EQ(resources.memory().used(), next->memory());
  const GpuSnapshot same = next->next(Snapshot::open(living.index()));
  EXPECT_EQ(same.new_memory(), 0U);
  expect_as_cpu(living, *next, 10);
  next.reset();
  EXPECT_EQ(resources.memory().used(), same.memory());  // that of engines and bits has returned
}

// With little memory lists are read in place, and queries may be left; with less, it says so.
TEST(GpuSnapshot, LittleMemory) {
  WARPDEX_NEEDS_GPU();
  Living living(888, CodecKind::kPfor, false, 20'000);
  living.add_some(5'000);
  living.remove_share(20);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  const LivingLog log(living, snapshot, 100);
  CpuSearcher cpu(snapshot);
  int fitting = 0;
  for (const std::size_t mebibytes : {1, 8, 16, 32, 64}) {
    Resources resources({.device = 0, .memory = mebibytes << 20, .host_memory = 0});
    std::optional<GpuSnapshot> gpu;
    try {
      gpu.emplace(snapshot, resources);
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("--gpu-memory"), std::string::npos);
      continue;
    }
    ++fitting;
    GpuEngine engine(*gpu);
    const BatchAnswers answers = engine.run(log.plans, log.settings);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].is_answered) continue;
      const SearchResult wanted = cpu.run(log.plans[i], log.settings[i]);
      ASSERT_EQ(test::disagreement(wanted, answers.result(i), log.settings[i]), "")
          << mebibytes << " MiB";
    }
  }
  EXPECT_GT(fitting, 0);
}

TEST(GpuSnapshot, RefusesMoreBatchesThanItMayHave) {
  WARPDEX_NEEDS_GPU();
  Living living(886, CodecKind::kBitpack, false);
  living.remove();
  living.commit();
  Uploaded uploaded;
  GpuEngine engine(uploaded.open(living), {.max_batches = 1});
  const LivingLog log(living, Snapshot::open(living.index()), 5);
  const Ticket ticket = engine.submit(log.plans, log.settings);
  EXPECT_THROW(engine.submit(log.plans, log.settings), UsageError);
  EXPECT_EQ(engine.wait(ticket).size(), log.plans.size());  // released at once
  EXPECT_EQ(engine.run(log.plans, log.settings).size(), log.plans.size());
}

TEST(GpuSnapshot, OfAPlainIndex) {
  WARPDEX_NEEDS_GPU();
  Living living(887, CodecKind::kPfor, false, 2'000);
  Uploaded uploaded;
  EXPECT_TRUE(uploaded.open(living).snapshot().is_plain());
  expect_as_cpu(living, uploaded.open(living), 40);
  living.add_some(10);
  living.commit();
  const GpuSnapshot& grown = uploaded.open(living);
  EXPECT_LT(grown.new_memory(), grown.memory());
  expect_as_cpu(living, grown, 40);
}

}  // namespace
}  // namespace warpdex
