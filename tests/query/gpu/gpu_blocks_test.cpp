// Blocks of documents on the GPU: answers are those of a search by lists on the CPU, to the bit.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>

#include "tests/query/gpu/gpu_blocks_support.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"

namespace warpdex {
namespace {

using test::best;
using test::BlocksLog;
using test::BlocksOnGpu;
using test::expect_as_lists;
using test::Random;

TEST(GpuBlocks, AnswerAsListsAfterChanges) {
  WARPDEX_NEEDS_GPU();
  test::Living living(992, CodecKind::kBitpack, true, 700);
  Random random = test::generator(993);
  Resources resources;
  Resources* const gpu = &resources;
  std::optional<GpuSnapshot> uploaded;
  std::shared_ptr<const SnapshotBlocks> blocks;
  std::shared_ptr<const GpuBlocks> on_gpu;
  for (int round = 0; round < 10; ++round) {
    living.change(6);
    const Snapshot snapshot = Snapshot::open(living.index());
    uploaded = uploaded ? uploaded->next(snapshot) : GpuSnapshot(snapshot, resources);
    blocks = std::make_shared<const SnapshotBlocks>(snapshot, 1, blocks.get());
    on_gpu = std::make_shared<const GpuBlocks>(snapshot, *blocks, std::span(&gpu, 1), on_gpu.get());
    GpuEngine engine(*uploaded, {.blocks = on_gpu});
    const BlocksLog log(random, snapshot, 60, 40);
    expect_as_lists(snapshot, log, engine.run(log.plans, log.settings));
    EXPECT_EQ(engine.statistics().parts, 0U);
  }
}

/// Batches that blocks do not take go by lists.
TEST(GpuBlocks, OthersGoByLists) {
  WARPDEX_NEEDS_GPU();
  test::Living living(994, CodecKind::kBitpack, true, 3'000);
  Random random = test::generator(995);
  const BlocksOnGpu on_gpu(living.index());
  const auto go_by_lists = [&](const BlocksLog& log) {
    GpuEngine engine(on_gpu.uploaded, {.blocks = on_gpu.blocks});
    const BatchAnswers answers = engine.run(log.plans, log.settings);
    expect_as_lists(on_gpu.snapshot, log, answers);
    return engine.statistics().parts > 0;
  };
  BlocksLog log(random, on_gpu.snapshot, 8, 40);
  EXPECT_FALSE(go_by_lists(log));
  log.settings[3].mode = QueryMode::kAnd;
  EXPECT_TRUE(go_by_lists(log));
  log.settings[3] = {};
  log.settings[3].count = true;
  EXPECT_TRUE(go_by_lists(log));
  log.settings[3] = best(513);
  EXPECT_TRUE(go_by_lists(log));
  log.settings[3] = {};
  log.plans[5].terms[0].is_must = true;
  EXPECT_TRUE(go_by_lists(log));
  EXPECT_TRUE(go_by_lists(BlocksLog(random, on_gpu.snapshot, 8, 2)));  // of few terms
  BlocksLog many(random, on_gpu.snapshot, 1, 1);
  const CpuSearcher planner(on_gpu.snapshot);
  for (const std::size_t terms : {64U, 65U}) {
    Query query;
    for (std::size_t i = 1; query.terms.size() < terms; ++i) {
      query.terms.push_back({"w" + std::to_string(i), Occur::kUnsigned, 1});
    }
    many.plans[0] = planner.plan(query);
    ASSERT_EQ(many.plans[0].terms.size(), terms);
    EXPECT_EQ(go_by_lists(many), terms > 64);
  }
}

TEST(GpuBlocks, BatchesAreUnderWayTogether) {
  WARPDEX_NEEDS_GPU();
  test::Living living(996, CodecKind::kBitpack, true, 5'000);
  Random random = test::generator(997);
  const BlocksOnGpu on_gpu(living.index());
  GpuEngine engine(on_gpu.uploaded, {.max_batches = 2, .blocks = on_gpu.blocks});
  BlocksLog log(random, on_gpu.snapshot, 50, 40);
  CpuSearcher cpu(on_gpu.snapshot);
  for (std::size_t i = 0; i < log.plans.size(); ++i) {  // the k-th score is known
    const SearchResult wanted = cpu.run(log.plans[i], log.settings[i]);
    const bool is_full = wanted.hits.size() == log.settings[i].k;
    log.settings[i].known_threshold = is_full && i % 2 == 0 ? wanted.hits.back().score : 0;
  }
  const Ticket one = engine.submit(log.plans, log.settings);
  const Ticket two = engine.submit(log.plans, log.settings);
  EXPECT_THROW(engine.submit(log.plans, log.settings), UsageError);
  while (!engine.poll(two)) {
  }
  EXPECT_TRUE(engine.early_answers(one).queries.empty());
  {
    const BatchAnswers first = engine.wait(one);
    expect_as_lists(on_gpu.snapshot, log, engine.wait(two));
    expect_as_lists(on_gpu.snapshot, log, engine.run(log.plans, log.settings));
    expect_as_lists(on_gpu.snapshot, log, first);
  }
  EXPECT_THROW(engine.wait(one), UsageError);
  EXPECT_THROW(engine.early_answers(one), UsageError);
  EXPECT_THROW(engine.poll(Ticket{std::uint64_t{1} << 63 | 99}), UsageError);
}

/// Documents that are all alike, in 64 lists: the first ones are the best, whatever is found first.
TEST(GpuBlocks, EqualScoresGoByDocument) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder;
  BuildOptions build;
  build.output = folder / "index";
  build.analyzer = "whitespace";
  build.impacts.emplace();
  Document document;
  Query query;
  for (int word = 0; word < 64; ++word) {
    query.terms.push_back({"w" + std::to_string(word), Occur::kUnsigned, 0.37F});
    document.text += query.terms.back().term + " ";
  }
  std::vector<Document> documents(5'000, document);
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = "d" + std::to_string(i);
  build_index(*documents_from_memory(std::move(documents)), build);
  const BlocksOnGpu on_gpu(folder / "index");
  Random random = test::generator(988);
  BlocksLog log(random, on_gpu.snapshot, 0, 1);
  for (const std::uint32_t k : {1, 31, 32, 33, 127, 129, 511, 512}) {
    log.plans.push_back(CpuSearcher(on_gpu.snapshot).plan(query));
    log.settings.push_back(best(k));
  }
  GpuEngine engine(on_gpu.uploaded, {.blocks = on_gpu.blocks});
  const BatchAnswers answers = engine.run(log.plans, log.settings);
  expect_as_lists(on_gpu.snapshot, log, answers);
  EXPECT_EQ(answers[7].hits.back().document, 511U);
  EXPECT_EQ(engine.statistics().parts, 0U);
}

/// Replicas share out a batch; two on one GPU have the same blocks, as have two commits.
TEST(GpuBlocks, AreSharedByReplicasAndCommits) {
  WARPDEX_NEEDS_GPU();
  test::Living living(986, CodecKind::kBitpack, true, 700);
  living.change(6);
  Random random = test::generator(987);
  const Snapshot snapshot = Snapshot::open(living.index());
  const SnapshotBlocks blocks(snapshot, 1);
  Resources one;
  Resources other;
  const std::array gpus{&one, &other};
  const GpuGroup group(snapshot, gpus);
  const std::size_t before = one.memory().used() + other.memory().used();
  const auto on_gpus = std::make_shared<const GpuBlocks>(snapshot, blocks, gpus);
  const std::size_t taken = one.memory().used() + other.memory().used() - before;
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(on_gpus->memory(), taken);
  EXPECT_EQ(GpuBlocks(snapshot, blocks, std::span(gpus).first(1)).memory(), taken);
  const GpuBlocks next(snapshot, blocks, gpus, on_gpus.get());
  EXPECT_EQ(one.memory().used() + other.memory().used(), before + taken);
  GpuGroupEngine engine(group, {.blocks = on_gpus});
  const BlocksLog log(random, snapshot, 520, 20);
  expect_as_lists(snapshot, log, engine.run(log.plans, log.settings));
  EXPECT_EQ(engine.statistics().queries, 520U);
  EXPECT_EQ(engine.statistics().parts, 0U);
}

TEST(GpuBlocks, NeedMemory) {
  WARPDEX_NEEDS_GPU();
  test::Living living(998, CodecKind::kBitpack, true, 3'000);
  const Snapshot snapshot = Snapshot::open(living.index());
  Resources resources({.memory = 1 << 16});
  Resources* const gpu = &resources;
  EXPECT_THROW(GpuBlocks(snapshot, SnapshotBlocks(snapshot, 1), std::span(&gpu, 1)), UsageError);
}

}  // namespace
}  // namespace warpdex
