// Reads lists by blocks of documents: cpu/blocks/block_list.hpp says how they lie. Internal.
#pragma once

#include "cpu/blocks/block_list.hpp"
#include "gpu/blocks/block_batch.hpp"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {

/// A list of a query.
struct OpenList {
  const SuperblockWord* words;   ///< null for a list of few
  const std::uint32_t* numbers;  ///< where that is null
  const std::uint32_t* starts;
  const std::uint8_t* largest;
  const std::uint8_t* records;
  std::uint32_t count;
  float weight;

  /// The place of a superblock, or kNone.
  __device__ std::uint32_t find(std::uint32_t superblock) const {
    if (words == nullptr) {
      std::uint32_t low = 0;
      for (std::uint32_t left = count; left > 0;) {
        const std::uint32_t half = left / 2;
        const bool is_behind = __ldg(numbers + low + half) < superblock;
        low += is_behind ? half + 1 : 0;
        left = is_behind ? left - half - 1 : half;
      }
      return low < count && __ldg(numbers + low) == superblock ? low : BlockList::kNone;
    }
    return place_in_word(superblock);
  }

  /// Likewise of a list with words.
  __device__ std::uint32_t place_in_word(std::uint32_t superblock) const {
    const SuperblockWord* const word = words + superblock / 64;
    const auto bits = __ldg(reinterpret_cast<const unsigned long long*>(&word->bits));
    const unsigned long long bit = 1ULL << superblock % 64;
    if ((bits & bit) == 0) return BlockList::kNone;
    return __ldg(&word->rank) + static_cast<std::uint32_t>(__popcll(bits & (bit - 1)));
  }

  __device__ const std::uint8_t* record(std::uint32_t place) const {
    return records + __ldg(starts + place);
  }
};

__device__ inline OpenList open_list(const PlacedBlocks& segment, const BlockTerm& term) {
  const std::uint8_t* at =
      segment.lists + std::size_t{__ldg(segment.begins + term.number)} * kBlockListUnit;
  const auto* const header = reinterpret_cast<const BlockListHeader*>(at);
  OpenList list{};
  list.count = header->count;
  list.weight = term.weight;
  at += sizeof(BlockListHeader);
  if (header->is_wide != 0) {
    list.words = reinterpret_cast<const SuperblockWord*>(at);
    at += std::size_t{(segment.superblocks + 63) / 64} * sizeof(SuperblockWord);
  } else {
    list.numbers = reinterpret_cast<const std::uint32_t*>(at);
    at += std::size_t{list.count} * sizeof(std::uint32_t);
  }
  list.starts = reinterpret_cast<const std::uint32_t*>(at);
  list.largest = at + std::size_t{list.count} * sizeof(std::uint32_t);
  list.records = list.largest + list.count;
  return list;
}

__device__ inline std::uint32_t load_two_bytes(const std::uint8_t* at) {
  return __ldg(at) | std::uint32_t{__ldg(at + 1)} << 8;
}

__device__ inline std::uint32_t bits_below(std::uint32_t bits, std::uint32_t place) {
  return static_cast<std::uint32_t>(__popc(bits & ((1U << place) - 1)));
}

/// What a list has of a superblock.
struct alignas(16) PresentList {
  const std::uint8_t* record;
  float weight;
  std::uint32_t blocks;  ///< the record's first two bytes

  /// The largest impact of a block; 0 if the term is not there.
  __device__ std::uint32_t largest(std::uint32_t block) const {
    const bool is_there = (blocks >> block & 1) != 0;
    return is_there ? __ldg(record + 2 + bits_below(blocks, block)) : 0;
  }

  /// The impact of a document of a block where the term is; 0 if the document does not have it.
  __device__ std::uint32_t impact(std::uint32_t block, std::uint32_t document) const {
    const auto count = static_cast<std::uint32_t>(__popc(blocks));
    const std::uint32_t place = bits_below(blocks, block);
    const std::uint8_t* const documents = record + 2 + count;
    const std::uint32_t with_term = load_two_bytes(documents + 2 * place);
    const std::uint32_t first = __ldg(documents + 2 * count + place);
    const bool is_there = (with_term >> document & 1) != 0;
    return is_there ? __ldg(documents + 3 * count + first + bits_below(with_term, document)) : 0;
  }
};

}  // namespace warpdex::gpu
