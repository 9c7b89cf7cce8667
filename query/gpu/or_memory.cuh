// What a CTA that adds up tiles has in shared memory: accumulators, the plans of a tile and of the
// next, and what is kept of a tile. Internal to or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/emit.cuh"
#include "warpdex/query/gpu/lookup.cuh"

namespace warpdex::gpu {
namespace or_tiles {

inline constexpr std::uint32_t kThreads = 256;  // that decode; one more warp prepares the next tile
inline constexpr std::uint32_t kWarps = kThreads / kWarp;
inline constexpr std::uint32_t kAllThreads = kThreads + kWarp;
inline constexpr std::uint32_t kHalf = kTileDocuments / 2;  // documents, in the low halves of words
inline constexpr std::uint32_t kVectors = kTileDocuments / 8;  // of 8 accumulators
inline constexpr std::uint32_t kKept = 256;                    // candidates of a tile at a time
inline constexpr std::uint32_t kBlocksHere = 64;               // whose places are prepared
inline constexpr std::uint32_t kFewBlocks = 8;  // fewer: lengths are not worth copying whole

/// A block that meets the tile: all that decoding and adding it up takes, but for the exceptions of
/// `pfor`. DocIDs count from the tile's first; those before it are huge.
struct alignas(16) BlockEntry {
  const std::uint8_t* docids;
  const std::uint8_t* values;
  std::uint32_t
      base;  ///< the last docID of the block before; of a list's first, one before docID 0
  std::uint32_t last;   ///< its own
  std::uint32_t index;  ///< in its list
  float weight;         ///< of its list, in units
  std::uint8_t list;    ///< in the query
  std::uint8_t docid_code;
  std::uint8_t value_code;
  std::uint8_t count;
  std::uint8_t docid_parameter;
  std::uint8_t value_parameter;
  std::uint8_t flags;  ///< ListFlags
  std::uint8_t padding;
  float c0;            ///< of its list
  std::uint32_t unit;  ///< of impacts whose sums are exact: how often the query has the term
};

/// All that is to be known of a tile before its blocks are decoded.
struct alignas(16) TilePlan {
  Query query;
  BlockEntry blocks[kBlocksHere];   ///< the first of them, list by list
  std::uint32_t first[kMostLists];  ///< the first block of each list in the tile
  std::uint32_t ends[kMostLists];   ///< blocks of the lists up to each, in the tile
  std::uint32_t begin;              ///< the first document
  std::uint32_t static_bound;       ///< units that a static score adds at most
  bool is_end;                      ///< there is no tile any more
};

template <ScoreForm kForm>
struct Memory {
  static constexpr bool kHasLengths = kForm != ScoreForm::kImpact;
  /// Word mixed(i) has the sums of documents i (low half) and kHalf + i. All 0 in between.
  uint4 sums[kVectors];
  std::uint8_t length_codes[kHasLengths ? kTileDocuments : 16];
  device::WarpScratch scratch[kWarps];
  TilePlan plans[2];                            ///< of this tile, and of the next
  float parts[kHasLengths ? kLengthCodes : 4];  ///< length_part of each code
  std::uint32_t kept[kKept];                    ///< sum << 16 | slot
  std::uint32_t kept_count;
  std::uint32_t need;
  std::uint32_t cut;
};

/// Spreads documents over shared memory's 32 banks: a warp's lanes add to documents that are about
/// equally far apart, and often a power of two. Its own inverse.
__device__ inline std::uint32_t mixed(std::uint32_t slot) { return slot ^ (slot >> 5 & 31); }

/// Waits for the warps that decode. The barrier is for whole warps, whose lanes may have parted.
__device__ inline void sync_decoders() {
  __syncwarp();
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
}

/// Where a block of a list is, from the list's block metadata.
__device__ inline BlockEntry find_block(const Query& query, const List& list,
                                        std::uint32_t list_index, std::uint32_t block,
                                        std::uint32_t begin) {
  BlockEntry entry{};
  entry.list = static_cast<std::uint8_t>(list_index);
  entry.index = block;
  entry.flags = static_cast<std::uint8_t>(list.flags);
  entry.weight = list.weight * query.scale;
  entry.unit = static_cast<std::uint32_t>(list.weight);
  entry.c0 = list.c0;
  if (list.flags & kRaw) {
    entry.docids = list.docids.bytes;
    entry.values = list.frequencies.bytes;
    return entry;
  }
  const device::BlockPlace docids = device::locate(list.docids, block);
  const device::BlockPlace values = device::locate(list.frequencies, block);
  entry.docids = docids.at;
  entry.values = values.at;
  entry.base = (block == 0 ? kNone : list.last_docids[block - 1]) - begin;
  entry.last = list.last_docids[block] - begin;
  entry.docid_code = docids.code;
  entry.value_code = values.code;
  entry.count = docids.count;
  entry.docid_parameter = list.docids.parameter;
  entry.value_parameter = list.frequencies.parameter;
  return entry;
}

}  // namespace or_tiles
}  // namespace warpdex::gpu
