// The shared memory of a CTA that accumulates tiles: the plans of what is decoded now and next, the
// documents found in an item, which is one tile or two, and the accumulators, for which GPUs have
// more or less room. Internal to or_tiles.cu.
#pragma once

#include "gpu/device/candidates.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/device/unit_table.cuh"

namespace warpdex::gpu {
namespace or_tiles {

inline constexpr std::uint32_t kKept = 1024;     // candidates of an item that are kept at a time
inline constexpr std::uint32_t kCompared = 256;  // of these, those that are compared with each
                                                 // other
inline constexpr std::uint32_t kHanded = 12;     // most documents that are handed over at a time;
                                                 // some codecs leave no memory for more
inline constexpr std::uint32_t kRecorded = 256;  // documents of an item that are recorded as they
                                                 // cross
inline constexpr std::uint32_t kFewBlocks = 8;   // with fewer blocks in a tile, length codes are
                                                 // not copied
/// In an item with this many blocks or fewer, matches are counted while postings are added. With
/// more blocks, it is faster to count them by reading all accumulators.
inline constexpr std::uint32_t kCountedBlocks = 64;

/// Warps of a CTA, and CTAs of a multiprocessor: as many as its registers and shared memory allow.
template <CodecKind kCodec, class Units>
struct TileShape {
  static constexpr bool kHasLengths = Units::kHasLengths;
  /// Whether an item's length codes may be copied: not those of several fields.
  static constexpr bool kCopiesLengths = kHasLengths && !Units::kHasFields;
  static constexpr bool kIsPfor = kCodec == CodecKind::kPfor;  ///< its blocks take more registers
                                                               ///< and memory
  static constexpr std::uint32_t kCtas = kHasLengths || Units::kIsExact ? 2 : 3;
  /// Whether decoding takes all registers: one more would be spilled.
  static constexpr bool kIsTight = kCodec == CodecKind::kRice;
  /// Warps that decode.
  static constexpr std::uint32_t kWarps = kHasLengths ? 16 : 10;
  static constexpr std::uint32_t kThreads = kWarps * kWarp;
  static constexpr std::uint32_t kAllThreads = kThreads + 2 * kWarp;  ///< two more warps plan
  static constexpr std::uint32_t kWarpBlocks = kIsPfor ? 3 : kHasLengths ? 4 : 5;
  static constexpr std::uint32_t kBlocks = kWarps * kWarpBlocks;  ///< of a plan
};

/// The half of the item that holds all documents of a block. The value says how many bits up in a
/// word the half's accumulators are. kAnywhere: its documents are not all in one half, or it is not
/// full, or its units may exceed the query's cap.
enum class BlockHalf : std::uint8_t { kLow = 0, kHigh = 16, kAnywhere };

/// What is known of a block besides, packed so that one read of shared memory gets it all.
struct alignas(8) BlockTraits {
  std::uint8_t list;  ///< its number in the query
  std::uint8_t docid_code;
  std::uint8_t value_code;
  std::uint8_t count;
  std::uint8_t docid_parameter;
  std::uint8_t value_parameter;
  std::uint8_t flags;  ///< ListFlags, kPlain and kUsual
  BlockHalf half;

  __device__ static BlockTraits read(const BlockTraits& from) {
    return __builtin_bit_cast(BlockTraits, *reinterpret_cast<const uint2*>(&from));
  }
};
static_assert(sizeof(BlockTraits) == sizeof(uint2));

/// A block that meets the item: all that is needed to decode and to accumulate it, except for the
/// exceptions of `pfor`. DocIDs count from the item's first document, or from the first of the
/// second half if all are there. A docID before that wraps around and is huge.
struct BlockEntry {
  const std::uint8_t* docids;
  const std::uint8_t* values;
  std::uint32_t base;   ///< last docID of the block before; one less than docID 0 if there is none
  std::uint32_t last;   ///< last docID of this block
  std::uint32_t index;  ///< in its list
  /// The list's weight in units, as the bits of a float. For impacts whose sums are exact: how
  /// often the query has the term, shifted to the half's accumulators.
  std::uint32_t weight;
  BlockTraits traits;
};
/// The same for `pfor`, with the exceptions of a scoring block's values: nearly all have some.
struct PforBlockEntry : BlockEntry {
  device::ExceptionPlace value_exceptions;
  std::uint8_t value_levels;
};
/// Flags of a block: docIDs and values are plain, or values are usual, as BlockDecoder says.
inline constexpr std::uint8_t kPlain = 0x80;
inline constexpr std::uint8_t kUsual = 0x40;

/// What all plans of an item share.
struct ItemInfo {
  std::uint32_t begin;         ///< the first document
  std::uint32_t half;          ///< half the number of documents, a power of two; of a huge query,
                               ///< all
  std::uint32_t static_bound;  ///< the most units that a static score adds
  /// A document is recorded when its sum exceeds this: in the upper half of a word, or of a huge
  /// query in a whole word. kNone: none is recorded, and all sums are scanned. All plans of an item
  /// use the same value, so that no document is recorded twice.
  std::uint32_t crossing_word;
  bool copies_lengths;   ///< enough blocks need the lengths
  bool counts_postings;  ///< matches are counted while postings are added
  /// Of a huge query: its lists that come after those that are planned now.
  std::uint16_t lists_behind;
};

/// Work of the decoding warps between two barriers of the CTA: some blocks of an item.
template <class Entry, std::uint32_t kBlocks>
struct alignas(16) TilePlan {
  Query query;
  Entry blocks[kBlocks];
  ItemInfo info;
  std::uint32_t count;  ///< of `blocks`
  bool erases;          ///< the blocks are of prohibited lists; else all are of scoring lists
  bool is_first;        ///< the first plan of the item
  bool is_last;         ///< the last plan of the item
  bool ends_group;      ///< of a huge query: the last plan of a PlannedItem
  bool has_work;        ///< of a huge query: it has blocks or is the last
  bool is_end;          ///< there are no more items
  std::uint8_t item;    ///< which of Memory::items
};

/// An item whose plans are being made, or are made next. Of a huge query, a group of its lists in
/// the item, which `query` has alone; the other groups follow.
struct alignas(16) PlannedItem {
  Query query;
  ItemInfo info;
  std::uint32_t planned;           ///< blocks that are in plans already
  std::uint32_t blocks;            ///< blocks of all lists
  std::uint32_t first[kMaxLists];  ///< by list: its first block in the item
  std::uint16_t ends[kMaxLists];   ///< by list: blocks in the item of all lists up to this one
  bool is_end;                     ///< there are no more items
  bool is_first;                   ///< this and the next are of a huge query: the first group
  std::uint16_t scoring_behind;    ///< how many of the lists behind score
};
static_assert(kMaxLists * (kMaxItemTiles * kTileDocuments / kBlockSize + 2) < 1 << 16);

/// Documents of an item that are handed over to the warp that plans blocks: it makes them
/// candidates while the next item is accumulated, so that the warps that decode need not wait for
/// global memory.
struct alignas(16) HandedDocuments {
  Query query;
  std::uint32_t kept[kHanded];  ///< as Memory::kept
  std::uint32_t begin;          ///< the item's first document
  std::uint32_t need;           ///< the sum that they must reach with their static scores
  std::uint32_t count;          ///< 0: none
};

/// A document that is kept: sum << 16 | slot. Sums of huge queries have 32 bits.
template <bool kIsHuge>
using KeptDocument = std::conditional_t<kIsHuge, std::uint64_t, std::uint32_t>;

/// A CTA's shared memory. Behind it lie the accumulators of as many documents as items have at
/// most, of huge queries half as many, then, where there is room for them, the documents' length
/// codes.
template <CodecKind kCodec, class Units>
struct alignas(128) Memory {
  using Shape = TileShape<kCodec, Units>;
  using Entry = std::conditional_t<Shape::kIsPfor, PforBlockEntry, BlockEntry>;
  using Plan = TilePlan<Entry, Shape::kBlocks>;

  static constexpr std::size_t bytes(const TileRoom& room) {
    const std::size_t documents = room.documents();
    const bool has_codes = Shape::kCopiesLengths && room.has_lengths;
    return sizeof(Memory) + documents * sizeof(std::uint16_t) + (has_codes ? documents : 0);
  }

  /// Word swizzled(i) holds the sums of documents i (low half) and half + i (high half), or of a
  /// huge query that of document i. All 0 between two items.
  __device__ uint4* sums() { return reinterpret_cast<uint4*>(this + 1); }
  __device__ std::uint8_t* length_codes(const TileRoom& room) {
    return reinterpret_cast<std::uint8_t*>(this + 1) + room.documents() * sizeof(std::uint16_t);
  }

  template <bool kIsHuge>
  __device__ KeptDocument<kIsHuge>* kept_documents() {
    if constexpr (kIsHuge) return kept_of_huge;
    if constexpr (!kIsHuge) return kept;
  }

  union {
    device::WarpScratch scratch[Shape::kWarps];  ///< while blocks are decoded
    std::uint32_t kept[kKept];                   ///< afterwards: KeptDocuments
    std::uint64_t kept_of_huge[kKept / 2];
  };
  Plan plans[2];              ///< the one at work, and the next
  PlannedItem items[2];       ///< the one that is planned now, and the next
  HandedDocuments handed[2];  ///< of the item at work, and of the one before
  float parts[Shape::kHasLengths ? kLengthCodes : 4];  ///< as UnitTable::parts
  std::uint16_t recorded[kRecorded];                   ///< slots of the recorded documents
  std::uint32_t next_item;                             ///< the number of the next item; of the
                                                       ///< ItemFinder
  std::uint32_t recorded_count;                        ///< may exceed the room; 0 between items
  std::uint32_t kept_count;                            ///< of `kept`; may exceed the room
  std::uint32_t matches;  ///< documents counted while postings were added; 0 between items
  std::uint32_t need;     ///< the sum that a document of the item must reach
  std::uint32_t cut;      ///< the result of own_threshold()
};

/// Copies a query. A whole warp.
__device__ inline void copy_query(const Query& from, Query& to) {
  static_assert(sizeof(Query) % sizeof(uint4) == 0 && sizeof(Query) <= kWarp * sizeof(uint4));
  if (lane_id() >= sizeof(Query) / sizeof(uint4)) return;
  reinterpret_cast<uint4*>(&to)[lane_id()] = reinterpret_cast<const uint4*>(&from)[lane_id()];
}

/// Spreads documents over the 32 banks of shared memory: the documents of a warp's lanes are often
/// equally far apart, and often by a power of two. Its own inverse.
__device__ inline std::uint32_t swizzled(std::uint32_t slot) { return slot ^ (slot >> 5 & 31); }

/// Documents of an item whose ItemInfo::half is `half`.
template <bool kIsHuge>
__device__ inline std::uint32_t documents_of(std::uint32_t half) {
  return kIsHuge ? half : 2 * half;
}

/// The half of an item that holds all documents of a full block: of a huge query always the low
/// one.
template <bool kIsHuge>
__device__ inline BlockHalf half_of(const BlockEntry& entry, std::uint32_t half) {
  const std::uint32_t first = entry.base + 1;
  if (entry.last >= documents_of<kIsHuge>(half) || first > entry.last ||
      (first ^ entry.last) >= half || entry.traits.count != kBlockSize) {
    return BlockHalf::kAnywhere;
  }
  return entry.last < half ? BlockHalf::kLow : BlockHalf::kHigh;
}

/// Finds a block of a list by the list's block metadata.
template <CodecKind kCodec, class Units, bool kIsHuge>
__device__ inline BlockEntry find_block(const Query& query, const List& list,
                                        std::uint32_t list_index, std::uint32_t block,
                                        const ItemInfo& info) {
  BlockEntry entry{};
  entry.traits.list = static_cast<std::uint8_t>(list_index);
  entry.index = block;
  entry.traits.flags = static_cast<std::uint8_t>(list.flags);
  const bool is_whole = Units::kMayBeWhole && query.rounding_slack == 0;
  entry.weight = is_whole ? static_cast<std::uint32_t>(list.weight)
                          : __float_as_uint(list.weight * query.scale);
  entry.traits.half = BlockHalf::kAnywhere;
  if (list.flags & kRaw) {
    entry.docids = list.docids.bytes;
    entry.values = list.frequencies.bytes;
    return entry;
  }
  const device::BlockPlace docids = device::locate(list.docids, block);
  const device::BlockPlace values = device::locate(list.frequencies, block);
  entry.docids = docids.at;
  entry.values = values.at;
  entry.base = (block == 0 ? list.first_document - 1 : list.last_docids[block - 1]) - info.begin;
  entry.last = list.last_docids[block] - info.begin;
  entry.traits.docid_code = docids.code;
  entry.traits.value_code = values.code;
  entry.traits.count = docids.count;
  entry.traits.docid_parameter = list.docids.parameter;
  entry.traits.value_parameter = list.frequencies.parameter;
  using Decoder = device::BlockDecoder<kCodec>;
  if (Decoder::is_plain(docids) && Decoder::is_plain(values)) entry.traits.flags |= kPlain;
  const bool is_capped = list.bound * query.scale > static_cast<float>(query.unit_cap);
  if (!is_capped) entry.traits.half = half_of<kIsHuge>(entry, info.half);
  if (entry.traits.half == BlockHalf::kHigh) {
    entry.base -= info.half;
    entry.last -= info.half;
    if (is_whole) entry.weight <<= 16;
  }
  return entry;
}

}  // namespace or_tiles
}  // namespace warpdex::gpu
