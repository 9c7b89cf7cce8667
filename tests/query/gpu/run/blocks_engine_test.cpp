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
  WARPDEX_NEEDS_GPU();
  for (const std::uint64_t documents : {1, 15, 16, 17, 257, 700}) {
    expect_of_size(documents, 12, gpu::kOrderedSuperblocks);
  }
}

/// Shared memory of a T4, an L4, an A100 and an H200, in KiB.
TEST(GpuBlocks, HaveRoomInSharedMemory) {
  for (const std::size_t kilobytes : {64, 99, 163, 227}) {
    for (const std::uint32_t k : {1U, 10U, 128U, 129U, 512U}) {
      for (const std::uint32_t superblocks : {1U, 64U, 65U, 1'000U, 100'000U}) {
        const gpu::BlockShape shape = gpu::block_shape(kilobytes << 10, k, superblocks);
        EXPECT_GE(shape.superblocks, std::min(superblocks, 320U)) << kilobytes << " " << k;
        EXPECT_EQ(shape.superblocks % 64, 0U);
        EXPECT_LT(shape.superblocks, superblocks + 64);
        EXPECT_TRUE(shape.threads == 1024 || (shape.threads == 512 && kilobytes < 227) ||
                    (shape.threads == 256 && kilobytes < 163));
      }
    }
  }
  EXPECT_EQ(gpu::block_shape(32 << 10, 10, 1'000).superblocks, 0U);
  EXPECT_EQ(gpu::block_shape(0, 512, 1'000).superblocks, 0U);
}

TEST(GpuBlocks, AnswerAsListsInAllSizes) {
  WARPDEX_NEEDS_GPU();
  for (const std::uint64_t documents : {255, 256, 4'095, 4'097, 20'000}) {
    expect_of_size(documents, 200, gpu::kOrderedSuperblocks);
  }
}

TEST(GpuBlocks, AnswerAsListsInTurns) {
  WARPDEX_NEEDS_GPU();
  expect_of_size(16'385, 100, 64);
  expect_of_size(50'000, 100, 64);
}

}  // namespace
}  // namespace warpdex
