// How warps share chunks out. Internal to or_lookups.cu.
#pragma once

#include <cstdint>

#include "gpu/layout/host_device.hpp"
#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

/// What the warps of a kernel draw, by numbers: chunks, and in the end, when there is one a warp or
/// fewer, shares of chunks. Else all would wait for those that drew the longest last. But shares
/// read the same blocks, which takes longer where these come over the bus. Trivial, to be kept in
/// shared memory where registers are short.
class Draws {
 public:
  Draws() = default;
  /// The last chunks make up to `shares` a warp together; `most_shares`: of a chunk. No number is
  /// 0, but that of chunks may be.
  WARPDEX_HOST_DEVICE constexpr Draws(std::uint32_t chunks, std::uint32_t warps,
                                      std::uint32_t shares, std::uint32_t most_shares)
      : whole_(chunks > warps ? chunks - warps : 0) {
    const std::uint32_t last = chunks - whole_;
    shares_ = last == 0 ? 1 : shares * warps / last;
    if (shares_ > most_shares) shares_ = most_shares;
    count_ = whole_ + last * shares_;
  }

  /// Numbers from this on have nothing.
  WARPDEX_HOST_DEVICE constexpr std::uint32_t count() const { return count_; }

  /// What is drawn by a number below the count; it may be empty.
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
  std::uint32_t whole_;   ///< chunks that are drawn whole, the first
  std::uint32_t shares_;  ///< of each of the others
  std::uint32_t count_;
};

}  // namespace warpdex::gpu
