// What a CTA of OR has in shared memory: accumulators, the plans of a tile and of the next, and
// what is kept of a tile. Internal to or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/emit.cuh"

namespace warpdex::gpu {
namespace or_tiles {

inline constexpr std::uint32_t kThreads = 256;  // that decode; one more warp prepares the next tile
inline constexpr std::uint32_t kWarps = kThreads / kWarp;
inline constexpr std::uint32_t kAllThreads = kThreads + kWarp;
inline constexpr std::uint32_t kHalf = kTileDocuments / 2;  // documents, in the low halves of words
inline constexpr std::uint32_t kVectors = kTileDocuments / 8;  // of 8 accumulators
inline constexpr std::uint32_t kKept = 256;                    // candidates of a tile at a time
inline constexpr std::uint32_t kBlocksHere = 64;               // whose places are prepared
inline constexpr std::uint32_t kFewBlocks = 8;     // fewer: lengths are not worth copying whole
inline constexpr std::uint32_t kGroup = 32;        // documents of a tile that share a mark
inline constexpr std::uint32_t kRegionGroup = 64;  // documents of a region that do
inline constexpr std::uint32_t kMarkWords = kRegionDocuments / kRegionGroup / 32;
inline constexpr std::uint32_t kSlots = 4 * kVectors;  // of the hash table
inline constexpr std::uint32_t kSparseBlocks =
    40;                                           // of at most that many, a region's table has room
inline constexpr std::uint32_t kWork = kThreads;  // blocks that are found worth decoding at a time
static_assert(kMostLists <= 64, "a list and a block of up to 2^26 share a word");
static_assert(kMarkWords == kWarp && kTileDocuments / kGroup / 32 <= kMarkWords);
static_assert(kSparseBlocks * kBlockSize <= kSlots * 2 / 3 && kSparseBlocks <= kBlocksHere);

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
  BlockEntry blocks[kBlocksHere];    ///< the first of them, list by list
  std::uint32_t first[kMostLists];   ///< the first block of each list in the tile
  std::uint32_t ends[kMostLists];    ///< blocks of the lists up to each, in the tile
  std::uint32_t bounds[kMostLists];  ///< units of each
  std::uint32_t begin;               ///< the first document
  bool is_sparse;                    ///< a region in a hash table, not a tile
  std::uint32_t essential;           ///< lists that are read whole
  std::uint32_t threshold;           ///< when the plan was made
  std::uint32_t static_bound;        ///< units that a static score adds at most
  std::uint32_t rest;                ///< units of the other lists, and of static scores
  bool is_end;                       ///< there is no tile any more
};

template <ScoreForm kForm>
struct Memory {
  static constexpr bool kHasLengths = kForm != ScoreForm::kImpact;
  /// Of a tile: word i has the sums of documents i (low half) and kHalf + i. Of a region: a hash
  /// table; a word has a document (high half) and its sum, which is not 0. All 0 in between.
  uint4 sums[kVectors];
  std::uint8_t length_codes[kHasLengths ? kTileDocuments : 16];
  device::WarpScratch scratch[kWarps];
  TilePlan plans[2];                            ///< of this tile, and of the next
  float parts[kHasLengths ? kLengthCodes : 4];  ///< length_part of each code
  std::uint32_t kept[kKept];                    ///< sum << 16 | slot
  /// A bit for each document that may reach the threshold, where lists are refined. Of a region,
  /// all 0 in between.
  uint4 candidates[kRegionDocuments / 128];
  std::uint32_t marks[kMarkWords];  ///< a bit for a group of documents: some are candidates
  std::uint32_t work[kWork];        ///< list << 26 | block: blocks that hold candidates
  std::uint32_t work_count;
  std::uint32_t queue[kWarp];          ///< queries of items to be done
  std::uint32_t queue_regions[kWarp];  ///< and their regions
  std::uint32_t kept_count;
  std::uint32_t need;
  std::uint32_t cut;
};

/// Waits for the warps that decode. The barrier is for whole warps, whose lanes may have parted.
__device__ inline void sync_decoders() {
  __syncwarp();
  asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory");
}

/// The same, and whether any thread says so.
__device__ inline bool any_decoder(bool value) {
  int result = 0;
  __syncwarp();
  asm volatile(
      "{\n"
      "  .reg .pred mine, any;\n"
      "  setp.ne.u32 mine, %1, 0;\n"
      "  bar.red.or.pred any, 1, %2, mine;\n"
      "  selp.u32 %0, 1, 0, any;\n"
      "}"
      : "=r"(result)
      : "r"(static_cast<int>(value)), "n"(kThreads)
      : "memory");
  return result != 0;
}

__device__ inline void prefetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
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

/// Whether sums in units are all that decides between documents of a query.
__device__ inline bool sums_are_exact(const Batch& batch, const Query& query) {
  return batch.form == ScoreForm::kImpact && query.slack == 0 && batch.static_scores == nullptr;
}

/// The least sum that documents from `first_document` on need, static scores included.
__device__ inline std::uint32_t needed_sum(const Batch& batch, const Query& query,
                                           std::uint32_t first_document) {
  const QueryState& state = batch.states[query.state];
  const std::uint32_t threshold = current_threshold(state);
  if (!sums_are_exact(batch, query)) return threshold;
  const unsigned long long tie = __ldcg(&state.tie);
  const bool loses_ties =
      tie >> 32 == threshold && tie != 0 && first_document > ~static_cast<std::uint32_t>(tie);
  return loses_ties ? threshold + 1 : threshold;
}

}  // namespace or_tiles
}  // namespace warpdex::gpu
