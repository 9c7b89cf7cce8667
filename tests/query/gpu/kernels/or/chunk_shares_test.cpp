// ChunkShares without a GPU: the pieces cover each chunk once.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gpu/kernels/or/chunk_shares.hpp"
#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

struct Sharing {
  std::uint32_t chunks;
  std::uint32_t warps;
  std::uint32_t shares;
  std::uint32_t max_shares;
};

std::string describe(const Sharing& sharing) {
  return std::to_string(sharing.chunks) + " chunks, " + std::to_string(sharing.warps) + " warps, " +
         std::to_string(sharing.shares) + " shares a warp, " + std::to_string(sharing.max_shares) +
         " of a chunk";
}

/// Chunks one behind the other, of up to 128 items, some of none.
std::vector<Chunk> make_chunks(std::mt19937_64& random, std::uint32_t count) {
  std::vector<Chunk> chunks;
  std::uint32_t first = 17;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto items = static_cast<std::uint32_t>(random() % (random() % 4 == 0 ? 5 : 129));
    chunks.push_back({i, first, items});
    first += items;
  }
  return chunks;
}

void check(const Sharing& sharing, const std::vector<Chunk>& chunks) {
  const ChunkShares pieces(sharing.chunks, sharing.warps, sharing.shares, sharing.max_shares);
  std::uint32_t next = 17;  // item: pieces come in the order of the chunks and of their items
  std::uint32_t list = 0;
  std::uint32_t of_chunk = 0;
  for (std::uint32_t number = 0; number < pieces.count(); ++number) {
    const Chunk piece = pieces.get(chunks.data(), number);
    if (piece.list != list) of_chunk = 0;
    ASSERT_TRUE(piece.list == list || piece.list == list + 1) << describe(sharing);
    list = piece.list;
    ASSERT_LE(++of_chunk, sharing.max_shares) << describe(sharing);
    if (piece.count == 0) continue;
    ASSERT_EQ(piece.first, next) << describe(sharing) << ", number " << number;
    next += piece.count;
    if (list + sharing.warps < sharing.chunks) {
      ASSERT_EQ(piece.count, chunks[list].count) << describe(sharing) << ": not among the last";
    }
  }
  ASSERT_EQ(next, chunks.empty() ? 17 : chunks.back().first + chunks.back().count)
      << describe(sharing);
  ASSERT_LE(pieces.count(), sharing.chunks + sharing.shares * sharing.warps) << describe(sharing);
}

TEST(ChunkShares, AllOfEachChunkIsTakenOnce) {
  std::mt19937_64 random = test::generator(71);
  for (const std::uint32_t warps : {1U, 7U, 64U, 5280U}) {
    for (const std::uint32_t chunks :
         {0U, 1U, 2U, 31U, 32U, 33U, warps - 1, warps, warps + 1, 3 * warps + 5}) {
      const std::vector<Chunk> made = make_chunks(random, chunks);
      for (const std::uint32_t shares : {1U, 4U}) {
        for (const std::uint32_t most : {1U, 3U, 8U, 32U, 200U}) {
          check({chunks, warps, shares, most}, made);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(ChunkShares, FewChunksAreSharedByAllWarps) {
  const std::vector<Chunk> chunks(4, Chunk{0, 0, 128});
  EXPECT_EQ(ChunkShares(4, 64, 1, 32).count(), 64U);
  EXPECT_EQ(ChunkShares(4, 64, 4, 32).count(), 128U) << "32 of each";
  EXPECT_EQ(ChunkShares(4, 64, 4, 32).get(chunks.data(), 0).count, 4U);
  EXPECT_EQ(ChunkShares(4, 64, 4, 1).count(), 4U);
  EXPECT_EQ(ChunkShares(4, 1, 4, 32).count(), 7U) << "the last by four";
}

}  // namespace
}  // namespace warpdex::gpu
