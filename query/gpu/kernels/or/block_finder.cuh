// Finds the competitive blocks of a list: those that may hold a document of the answer. Internal.
#pragma once

#include "gpu/device/candidates.cuh"

namespace warpdex::gpu {

/// Words of 32 bits that a list has in competitive_tiles.
__device__ inline std::uint32_t tile_words(const OrTables& batch) {
  return (batch.tiles + 31) / 32;
}

/// A list's bits by tile. A bit is set where a document of the answer may be in the tile and have
/// this list as its first one.
__device__ inline std::uint32_t* competitive_tiles_of(const OrTables& batch, std::uint32_t list) {
  return batch.competitive_tiles + std::size_t{list} * tile_words(batch);
}

/// The most units of a posting of a raw list, which has no stored bounds.
__device__ inline std::uint32_t raw_bound_units(const Query& query, const List& list) {
  return min(static_cast<std::uint32_t>(list.bound * query.scale * 1.00001F) + 2, query.unit_cap);
}

/// Finds the competitive blocks of a list by their upper bounds.
class BlockFinder {
 public:
  __device__ BlockFinder(const OrTables& batch, const Query& query, std::uint32_t list)
      : batch_(batch),
        query_(query),
        list_(batch.lists[list]),
        threshold_(batch, query),
        wanted_(competitive_tiles_of(batch, list)),
        suffix_bounds_(batch.suffix_bounds + list_.tile_row) {}

  /// Whether one of the blocks [first, end) may meet a competitive tile. A whole warp.
  __device__ bool may_have_competitive(std::uint32_t first, std::uint32_t end) const {
    const std::uint32_t low = first_document(first) >> kTileShift;
    const std::uint32_t high = list_.last_docids[end - 1] >> kTileShift;
    bool found = false;
    for (std::uint32_t word = low / 32 + lane_id(); word <= high / 32; word += kWarp) {
      found |= bits(word, low, high) != 0;
    }
    return __any_sync(kWholeWarp, found);
  }

  /// Whether a block is competitive. One thread.
  __device__ bool wants(std::uint32_t block) const {
    const std::uint32_t document = first_document(block);
    const std::uint32_t low = document >> kTileShift;
    const std::uint32_t high = list_.last_docids[block] >> kTileShift;
    std::uint32_t bound = 0;
    for (std::uint32_t word = low / 32; word <= high / 32; ++word) {
      for (std::uint32_t left = bits(word, low, high); left != 0; left &= left - 1) {
        const std::uint32_t tile = word * 32 + __ffs(static_cast<int>(left)) - 1;
        if (bound == 0) bound = bound_of(block);
        if (suffix_bounds_[tile] + bound >= threshold_.at(max(tile * kTileDocuments, document)))
          return true;
      }
    }
    return false;
  }

  /// The upper bound of the sums of a block's documents if it is competitive, else 0; kNone if the
  /// bound would take long to compute. One thread.
  __device__ std::uint32_t promise(std::uint32_t block) const {
    constexpr std::uint32_t kFewTiles = 8;
    const std::uint32_t document = first_document(block);
    const std::uint32_t low = document >> kTileShift;
    const std::uint32_t high = list_.last_docids[block] >> kTileShift;
    if (high - low >= kFewTiles) return wants(block) ? kNone : 0;
    std::uint32_t bound = 0;
    std::uint32_t best = 0;
    for (std::uint32_t word = low / 32; word <= high / 32; ++word) {
      for (std::uint32_t left = bits(word, low, high); left != 0; left &= left - 1) {
        const std::uint32_t tile = word * 32 + __ffs(static_cast<int>(left)) - 1;
        if (bound == 0) bound = bound_of(block);
        const std::uint32_t sum = suffix_bounds_[tile] + bound;
        if (sum >= threshold_.at(max(tile * kTileDocuments, document))) best = max(best, sum);
      }
    }
    return best;
  }

 private:
  __device__ std::uint32_t first_document(std::uint32_t block) const {
    if (list_.flags & kRaw) return *reinterpret_cast<const std::uint32_t*>(list_.docids.bytes);
    return block == 0 ? list_.first_document : list_.last_docids[block - 1] + 1;
  }

  /// The bits of a word that stand for competitive tiles from `low` to `high`.
  __device__ std::uint32_t bits(std::uint32_t word, std::uint32_t low, std::uint32_t high) const {
    std::uint32_t mask = kWholeWarp;
    if (word == low / 32) mask &= kWholeWarp << low % 32;
    if (word == high / 32) mask &= kWholeWarp >> (31 - high % 32);
    return wanted_[word] & mask;
  }

  /// The most units of a posting of a block.
  __device__ std::uint32_t bound_of(std::uint32_t block) const {
    if (list_.flags & kRaw) return raw_bound_units(query_, list_);
    return bound_units(batch_, query_, list_, reinterpret_cast<const uint2*>(list_.bounds)[block]);
  }

  const OrTables& batch_;
  const Query& query_;
  const List& list_;
  Threshold threshold_;
  const std::uint32_t* wanted_;
  const std::uint32_t* suffix_bounds_;
};

}  // namespace warpdex::gpu
