// Which blocks of a list may decide in a round of OR. Internal.
#pragma once

#include "gpu/device/emit.cuh"

namespace warpdex::gpu {

/// Words of a list's bits of tiles.
__device__ inline std::uint32_t words_of_tiles(const Batch& batch) {
  return (batch.tiles + 31) / 32;
}

/// The bits of tiles in which a list may decide in this round.
__device__ inline std::uint32_t* wanted_tiles_of(const Batch& batch, std::uint32_t list) {
  return batch.wanted_tiles + std::size_t{list} * words_of_tiles(batch);
}

/// Finds blocks of a list that are worth reading in a round.
class BlockFinder {
 public:
  __device__ BlockFinder(const Batch& batch, const Query& query, std::uint32_t list)
      : batch_(batch),
        query_(query),
        list_(batch.lists[list]),
        need_(batch, query),
        wanted_(wanted_tiles_of(batch, list)),
        rests_(batch.rests + list_.row) {}

  /// The blocks [first, end) are in tiles of which one is wanted, perhaps. A whole warp.
  __device__ bool may_want(std::uint32_t first, std::uint32_t end) const {
    const std::uint32_t low = first_document(first) >> kTileShift;
    const std::uint32_t high = list_.last_docids[end - 1] >> kTileShift;
    bool found = false;
    for (std::uint32_t word = low / 32 + lane_id(); word <= high / 32; word += kWarp) {
      found |= bits(word, low, high) != 0;
    }
    return __any_sync(kWholeWarp, found);
  }

  /// Whether a block is worth reading. A thread.
  __device__ bool wants(std::uint32_t block) const {
    const std::uint32_t document = first_document(block);
    const std::uint32_t low = document >> kTileShift;
    const std::uint32_t high = list_.last_docids[block] >> kTileShift;
    std::uint32_t bound = 0;
    for (std::uint32_t word = low / 32; word <= high / 32; ++word) {
      for (std::uint32_t left = bits(word, low, high); left != 0; left &= left - 1) {
        if (list_.flags & kRaw) return true;
        const std::uint32_t tile = word * 32 + __ffs(static_cast<int>(left)) - 1;
        if (bound == 0) bound = bound_of(block);
        if (rests_[tile] + bound >= need_.of(max(tile * kTileDocuments, document))) return true;
      }
    }
    return false;
  }

  /// What no sum of a block's documents passes, if it is worth reading; else 0. A thread. kNone, if
  /// that would take long to find out.
  __device__ std::uint32_t promise(std::uint32_t block) const {
    constexpr std::uint32_t kFewTiles = 8;
    const std::uint32_t document = first_document(block);
    const std::uint32_t low = document >> kTileShift;
    const std::uint32_t high = list_.last_docids[block] >> kTileShift;
    if ((list_.flags & kRaw) || high - low >= kFewTiles) return wants(block) ? kNone : 0;
    std::uint32_t bound = 0;
    std::uint32_t best = 0;
    for (std::uint32_t word = low / 32; word <= high / 32; ++word) {
      for (std::uint32_t left = bits(word, low, high); left != 0; left &= left - 1) {
        const std::uint32_t tile = word * 32 + __ffs(static_cast<int>(left)) - 1;
        if (bound == 0) bound = bound_of(block);
        const std::uint32_t sum = rests_[tile] + bound;
        if (sum >= need_.of(max(tile * kTileDocuments, document))) best = max(best, sum);
      }
    }
    return best;
  }

 private:
  __device__ std::uint32_t first_document(std::uint32_t block) const {
    if (list_.flags & kRaw) return *reinterpret_cast<const std::uint32_t*>(list_.docids.bytes);
    return block == 0 ? 0 : list_.last_docids[block - 1] + 1;
  }

  /// Those of a word that stand for wanted tiles from `low` to `high`.
  __device__ std::uint32_t bits(std::uint32_t word, std::uint32_t low, std::uint32_t high) const {
    std::uint32_t mask = kWholeWarp;
    if (word == low / 32) mask &= kWholeWarp << low % 32;
    if (word == high / 32) mask &= kWholeWarp >> (31 - high % 32);
    return wanted_[word] & mask;
  }

  __device__ std::uint32_t bound_of(std::uint32_t block) const {
    return bound_units(batch_.form, query_, list_,
                       reinterpret_cast<const uint2*>(list_.bounds)[block]);
  }

  const Batch& batch_;
  const Query& query_;
  const List& list_;
  Need need_;
  const std::uint32_t* wanted_;
  const std::uint32_t* rests_;
};

}  // namespace warpdex::gpu
