// Shares chunks out to warps. Internal to or_lookups.cu.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::gpu {

/// The work of a kernel as numbered pieces, which its warps take one by one. The first pieces are
/// whole chunks. The last chunks, one a warp or fewer, are cut into shares: else all warps would
/// wait for those that took a long chunk last. But warps with shares of one chunk read the same
/// blocks, which costs more where blocks come over the bus. Trivially copyable, so that kernels can
/// keep it in shared memory where registers are short.
class ChunkShares {
 public:
  ChunkShares() = default;
  /// Cuts the last chunks so that there are about `shares` pieces a warp, and no more than
  /// `max_shares` a chunk. There may be no chunks; all other arguments are 1 or more.
  WARPDEX_HOST_DEVICE constexpr ChunkShares(std::uint32_t chunks, std::uint32_t warps,
                                            std::uint32_t shares, std::uint32_t max_shares)
      : whole_(chunks > warps ? chunks - warps : 0) {
    const std::uint32_t last = chunks - whole_;
    shares_ = last == 0 ? 1 : shares * warps / last;
    if (shares_ > max_shares) shares_ = max_shares;
    count_ = whole_ + last * shares_;
  }

  /// The number of pieces.
  WARPDEX_HOST_DEVICE constexpr std::uint32_t count() const { return count_; }

  /// The piece of a number below count(). It may be empty.
  WARPDEX_HOST_DEVICE constexpr Chunk get(const Chunk* chunks, std::uint32_t number) const {
    if (number < whole_) return chunks[number];
    Chunk chunk = chunks[whole_ + (number - whole_) / shares_];
    const std::uint32_t size = (chunk.count + shares_ - 1) / shares_;
    const std::uint32_t before = (number - whole_) % shares_ * size;
    const std::uint32_t left = before < chunk.count ? chunk.count - before : 0;
    chunk.first += before;
    chunk.count = left < size ? left : size;
    return chunk;
  }

 private:
  std::uint32_t whole_;   ///< chunks at the beginning that are not cut
  std::uint32_t shares_;  ///< of each of the other chunks
  std::uint32_t count_;
};

}  // namespace warpdex::gpu
