// What a CTA that adds up tiles has in shared memory: accumulators, plans of what is done now and
// next, and what is kept of an item, which is a tile or two. Internal to or_tiles.cu.
#pragma once

#include "gpu/device/emit.cuh"
#include "gpu/device/lookup.cuh"

namespace warpdex::gpu {
namespace or_tiles {

inline constexpr std::uint32_t kMostHalf = kMostTogether * kTileDocuments / 2;
inline constexpr std::uint32_t kKept = 1024;     // candidates of an item at a time
inline constexpr std::uint32_t kCompared = 256;  // of them, those compared with each other
inline constexpr std::uint32_t kCrossed = 256;   // documents of an item that are remembered
inline constexpr std::uint32_t kFewBlocks = 8;   // a tile; with fewer, lengths are not copied

/// How many warps there are, and CTAs of an SM: as many as its registers and its shared memory let.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
struct Shape {
  static constexpr bool kHasLengths = kForm != ScoreForm::kImpact;
  static constexpr bool kIsPfor = kCodec == CodecKind::kPfor;  ///< whose blocks take more of both
  static constexpr bool kIsDeep = kIsPfor && kLevels > 1;      ///< and more registers still
  static constexpr std::uint32_t kCtas = kHasLengths || kIsDeep ? 2 : 3;
  /// Whether decoding takes so many registers that one is missing.
  static constexpr bool kIsTight = !kHasLengths && (kIsPfor || kCodec == CodecKind::kRice);
  /// That decode.
  static constexpr std::uint32_t kWarps = kIsDeep ? 14 : kHasLengths ? 16 : 10;
  static constexpr std::uint32_t kThreads = kWarps * kWarp;
  static constexpr std::uint32_t kAllThreads = kThreads + 2 * kWarp;  ///< two more warps plan
  static constexpr std::uint32_t kWarpBlocks = kIsPfor && !kIsDeep ? 3 : kHasLengths ? 4 : 5;
  static constexpr std::uint32_t kBlocks = kWarps * kWarpBlocks;  ///< of a plan
};

/// Where the documents of a block are among those of the item: of a half, how far up in words its
/// accumulators are. Blocks whose units pass the query's cap are anywhere.
enum class Place : std::uint8_t { kLowHalf = 0, kHighHalf = 16, kAnywhere };

/// What else there is to know of a block, so small that one read of shared memory brings it all.
struct alignas(8) BlockTraits {
  std::uint8_t list;  ///< in the query
  std::uint8_t docid_code;
  std::uint8_t value_code;
  std::uint8_t count;
  std::uint8_t docid_parameter;
  std::uint8_t value_parameter;
  std::uint8_t flags;  ///< ListFlags, kPlain and kUsual
  Place place;

  __device__ static BlockTraits read(const BlockTraits& from) {
    return __builtin_bit_cast(BlockTraits, *reinterpret_cast<const uint2*>(&from));
  }
};
static_assert(sizeof(BlockTraits) == sizeof(uint2));

/// A block that meets the item: all that decoding and adding it up takes, but for the exceptions of
/// `pfor`. DocIDs count from the item's first, or from the second half's first if all
/// are there; those before it are huge.
struct BlockEntry {
  const std::uint8_t* docids;
  const std::uint8_t* values;
  std::uint32_t
      base;  ///< the last docID of the block before; of a list's first, one before docID 0
  std::uint32_t last;   ///< its own
  std::uint32_t index;  ///< in its list
  /// Of its list: in units, as a float. Of impacts whose sums are exact: how often the query has
  /// the term, shifted to the accumulators of the half.
  std::uint32_t weight;
  BlockTraits traits;
};
/// The same of `pfor`, with the exceptions of a block that scores: nearly all of frequencies have
/// some.
struct PforBlockEntry : BlockEntry {
  device::ExceptionPlace value_exceptions;
  std::uint8_t value_levels;
};
/// As BlockDecoder has it: docIDs and values are plain; values are usual.
inline constexpr std::uint8_t kPlain = 0x80;
inline constexpr std::uint8_t kUsual = 0x40;

/// What is the same for all plans of an item.
struct ItemSpan {
  std::uint32_t begin;         ///< the first document
  std::uint32_t half;          ///< of how many documents an item has, a power of two
  std::uint32_t static_bound;  ///< units that a static score adds at most
  /// A document is remembered when its sum, in the upper half of a word, passes this; kNone: none
  /// is, and all sums are searched. The same for all plans, so that none is remembered twice.
  std::uint32_t below;
  bool copies_lengths;  ///< enough blocks need them
};

/// What decoders do between two barriers of the CTA: some of the blocks of an item.
template <class Entry, std::uint32_t kBlocks>
struct alignas(16) TilePlan {
  Query query;
  Entry blocks[kBlocks];
  ItemSpan span;
  std::uint32_t count;  ///< of `blocks`
  bool erases;          ///< they are of prohibited lists; else all are of lists that score
  bool is_first;        ///< of the item
  bool is_last;         ///< likewise
  bool is_end;          ///< there is no item any more
  std::uint8_t item;    ///< which of Memory::items it is of
};

/// An item whose plans are being made, or are next.
struct alignas(16) PlannedItem {
  Query query;
  ItemSpan span;
  std::uint32_t planned;            ///< blocks that are in plans
  std::uint32_t blocks;             ///< of all lists
  std::uint32_t first[kMostLists];  ///< the first block of each list in the item
  std::uint16_t ends[kMostLists];   ///< blocks of the lists up to each, in the item
  bool is_end;                      ///< there is no item any more
};
static_assert(kMostLists * (kMostTogether * kTileDocuments / kBlockSize + 2) < 1 << 16);

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
struct Memory {
  using Form = Shape<kCodec, kLevels, kForm>;
  using Entry = std::conditional_t<Form::kIsPfor, PforBlockEntry, BlockEntry>;
  using Plan = TilePlan<Entry, Form::kBlocks>;
  /// Word mixed(i) has the sums of documents i (low half) and half + i. All 0 in between.
  uint4 sums[kMostHalf / 4];
  std::uint8_t length_codes[Form::kHasLengths ? 2 * kMostHalf : 16];
  union {
    device::WarpScratch scratch[Form::kWarps];  ///< while blocks are decoded
    std::uint32_t kept[kKept];                  ///< after it: sum << 16 | slot
  };
  Plan plans[2];                                      ///< of now, and the next
  PlannedItem items[2];                               ///< of the next plan, and the next
  float parts[Form::kHasLengths ? kLengthCodes : 4];  ///< length_part of each code
  std::uint16_t crossed[kCrossed];                    ///< slots of documents that were remembered
  std::uint32_t drawn;                                ///< the finder's own: the next item
  std::uint32_t crossed_count;  ///< with those for which there was none; 0 between items
  std::uint32_t kept_count;
  std::uint32_t need;
  std::uint32_t cut;
};

/// Spreads documents over shared memory's 32 banks: a warp's lanes add to documents that are about
/// equally far apart, and often a power of two. Its own inverse.
__device__ inline std::uint32_t mixed(std::uint32_t slot) { return slot ^ (slot >> 5 & 31); }

/// Which half of an item has all documents of a full block.
__device__ inline Place place_of(const BlockEntry& entry, std::uint32_t half) {
  const std::uint32_t first = entry.base + 1;
  if (entry.last >= 2 * half || first > entry.last || (first ^ entry.last) >= half ||
      entry.traits.count != kBlockSize) {
    return Place::kAnywhere;
  }
  return entry.last < half ? Place::kLowHalf : Place::kHighHalf;
}

/// Where a block of a list is, from the list's block metadata.
template <CodecKind kCodec, ScoreForm kForm>
__device__ inline BlockEntry find_block(const Query& query, const List& list,
                                        std::uint32_t list_index, std::uint32_t block,
                                        const ItemSpan& span) {
  BlockEntry entry{};
  entry.traits.list = static_cast<std::uint8_t>(list_index);
  entry.index = block;
  entry.traits.flags = static_cast<std::uint8_t>(list.flags);
  const bool is_whole = kForm == ScoreForm::kImpact && query.slack == 0;
  entry.weight = is_whole ? static_cast<std::uint32_t>(list.weight)
                          : __float_as_uint(list.weight * query.scale);
  entry.traits.place = Place::kAnywhere;
  if (list.flags & kRaw) {
    entry.docids = list.docids.bytes;
    entry.values = list.frequencies.bytes;
    return entry;
  }
  const device::BlockPlace docids = device::locate(list.docids, block);
  const device::BlockPlace values = device::locate(list.frequencies, block);
  entry.docids = docids.at;
  entry.values = values.at;
  entry.base = (block == 0 ? kNone : list.last_docids[block - 1]) - span.begin;
  entry.last = list.last_docids[block] - span.begin;
  entry.traits.docid_code = docids.code;
  entry.traits.value_code = values.code;
  entry.traits.count = docids.count;
  entry.traits.docid_parameter = list.docids.parameter;
  entry.traits.value_parameter = list.frequencies.parameter;
  using Decoder = device::BlockDecoder<kCodec>;
  if (Decoder::is_plain(docids) && Decoder::is_plain(values)) entry.traits.flags |= kPlain;
  const bool is_capped = list.bound * query.scale > static_cast<float>(query.cap);
  if (!is_capped) entry.traits.place = place_of(entry, span.half);
  if (entry.traits.place == Place::kHighHalf) {
    entry.base -= span.half;
    entry.last -= span.half;
    if (is_whole) entry.weight <<= 16;
  }
  return entry;
}

}  // namespace or_tiles
}  // namespace warpdex::gpu
