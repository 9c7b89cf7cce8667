// The engine by blocks alone, also where superblocks are ordered in several turns.
#include <gtest/gtest.h>

#include "gpu/run/blocks_engine.hpp"
#include "tests/query/gpu/gpu_blocks_support.hpp"

namespace warpdex {
namespace {

void expect_of_size(std::uint64_t documents, std::size_t queries, std::uint32_t together) {
  test::Random random = test::generator(990 + documents);
  test::Living living(documents, CodecKind::kBitpack, true, documents);
  const test::BlocksOnGpu on_gpu(living.index());
  gpu::BlocksEngine engine(on_gpu.uploaded, on_gpu.blocks, {}, together);
  const test::BlocksLog log(random, on_gpu.snapshot, queries, 60);
  const auto ticket = engine.submit(log.plans, log.settings);
  ASSERT_TRUE(ticket);
  test::expect_as_lists(on_gpu.snapshot, log, engine.wait(*ticket));
  EXPECT_EQ(engine.queries(), queries);
}

TEST(GpuBlocksTiny, AnswerAsLists) {
  WARPDEX_NEEDS_GPU_FOR_BLOCKS();
  for (const std::uint64_t documents : {1, 15, 16, 17, 257, 700}) {
    expect_of_size(documents, 12, gpu::kOrderedSuperblocks);
  }
}

/// A GPU of little shared memory, as WARPDEX_GPU=l4 imitates, leaves all batches to lists.
TEST(GpuBlocks, NeedSharedMemory) {
  WARPDEX_NEEDS_GPU();
  test::Random random = test::generator(989);
  test::Living living(989, CodecKind::kBitpack, true, 700);
  const test::BlocksOnGpu on_gpu(living.index());
  const gpu::BlocksEngine engine(on_gpu.uploaded, on_gpu.blocks, {});
  const test::BlocksLog log(random, on_gpu.snapshot, 60, 40);
  EXPECT_EQ(engine.takes(log.plans, log.settings),
            device_info(0).shared_memory_per_block >= gpu::kBlocksSharedMemory);
}

TEST(GpuBlocks, AnswerAsListsInAllSizes) {
  WARPDEX_NEEDS_GPU_FOR_BLOCKS();
  for (const std::uint64_t documents : {255, 256, 4'095, 4'097, 20'000}) {
    expect_of_size(documents, 200, gpu::kOrderedSuperblocks);
  }
}

TEST(GpuBlocks, AnswerAsListsInTurns) {
  WARPDEX_NEEDS_GPU_FOR_BLOCKS();
  expect_of_size(16'385, 100, 64);
  expect_of_size(50'000, 100, 64);
}

}  // namespace
}  // namespace warpdex
