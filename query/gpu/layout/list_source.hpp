// The sources of lists and queries: where the postings of a term are, how a query uses the term,
// and the entries of a query. Large batches send these, and the GPU makes lists and queries from
// them. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::gpu {

/// The metadata, by block, of the docIDs or of the frequencies of a segment's lists. Pointers are
/// the GPU's.
struct ValueTables {
  const std::uint32_t* bases = nullptr;
  const std::uint16_t* offsets = nullptr;
  const std::uint8_t* codes = nullptr;
  const ExceptionEntry* exceptions = nullptr;
  const ExceptionBase* exception_bases = nullptr;
  const std::uint8_t* flat_tails = nullptr;
};

/// The tables that all lists of a segment share.
struct ListTables {
  ValueTables docids;
  ValueTables frequencies;
  const std::uint32_t* last_docids = nullptr;
  const ScoreBound* bounds = nullptr;
  const ScoreBound* range_bounds = nullptr;  ///< the place where the entry of tile 0 would be
  std::uint32_t ranges = 0;                  ///< bounds of each frequent list
  std::uint32_t first_document = 0;          ///< of the segment
  std::uint8_t levels = 0;                   ///< DeviceValues::levels
};

/// The data of a segment from which its lists and entries are made.
struct SegmentTables : ListTables {
  std::uint32_t tiles = 0;
  std::uint32_t tiles_before = 0;        ///< the sum over all segments before it
  std::uint32_t row_entries = 0;         ///< entries of a list in the tables by list and tile
  std::uint32_t row_entries_before = 0;  ///< the sum over all segments before it

  WARPDEX_HOST_DEVICE std::uint32_t first_tile() const { return first_document >> kTileShift; }
};

/// Flags of a source beside its ListFlags.
enum SourceFlags : std::uint16_t {
  kPacked = 0x100,             ///< a list that is decoded for its queries, not yet on the GPU
  kFlatDocidTail = 0x200,      ///< docid_tail counts from flat_tails, in units of kFlatTailUnit
  kFlatFrequencyTail = 0x400,  ///< likewise
};
inline constexpr std::uint32_t kFlatTailUnit = 16;

/// Where a term's postings in a segment are; the same for all queries that have the term. Its size
/// is 0 if the segment lacks the term. The sources of one term lie side by side, by segment: a row.
struct alignas(16) ListSource {
  const std::uint8_t* docids;       ///< the first block, or the plain docIDs of a raw list
  const std::uint8_t* frequencies;  ///< the first block; not read for a raw list
  std::uint32_t docid_tail;         ///< where the tail starts, in bytes from the first block
  std::uint32_t frequency_tail;     ///< likewise
  std::uint32_t size;               ///< postings
  std::uint32_t first_block;        ///< in the block arrays; if kPacked, where its postings start
  std::uint32_t first_base;         ///< in the arrays of bases
  std::uint32_t frequent_list;      ///< PostingsEntry's
  std::uint16_t flags;              ///< ListFlags and SourceFlags
  std::uint8_t docid_parameter;
  std::uint8_t frequency_parameter;
};
static_assert(sizeof(ListSource) == 48);

/// How a query uses a term, in all segments alike.
struct ListUse {
  const ListSource* row;  ///< in GPU memory
  float weight;           ///< this and the next members are those of List
  float c0;
  float c1;
  float bound;
  std::uint32_t stored_block;
  std::uint32_t stored_row;
  std::uint16_t flags;  ///< kRequired or kProhibited
  std::uint8_t field;   ///< this and the next are those of List
  float c2;
};

/// The entries of a query in neighbouring segments that have the same terms of it.
struct alignas(16) EntrySource {
  Query query;              ///< the first entry without its tiles; tile_row is kNone, except for OR
  std::uint32_t first_use;  ///< the uses of its lists, in order; kNone: another entry makes these
  std::uint32_t first_segment;
  std::uint32_t segments;
  std::uint32_t place;        ///< of the first entry among all entries
  std::uint32_t or_query;     ///< List::or_query of the first entry
  std::uint32_t row;          ///< where the first list's row by tile starts; kNone: it has none
  std::uint32_t first_range;  ///< of these lists in the tables' ranges, if they have rows
};
static_assert(sizeof(EntrySource) == 112);

WARPDEX_HOST_DEVICE inline device::DeviceValues make_values(
    const ListSource& source, const ValueTables& tables, const std::uint8_t* bytes,
    std::uint32_t tail, bool is_flat, std::uint8_t parameter, std::uint8_t levels) {
  device::DeviceValues values;
  values.bytes = bytes;
  values.offsets = tables.offsets + source.first_block;
  values.bases = tables.bases + source.first_base;
  values.codes = tables.codes + source.first_block;
  values.exceptions = tables.exceptions + source.first_block;
  values.exception_bases = tables.exception_bases + source.first_base;
  values.tail = is_flat ? tables.flat_tails + std::uint64_t{tail} * kFlatTailUnit : bytes + tail;
  values.count = source.size;
  values.parameter = parameter;
  values.levels = levels;
  return values;
}

/// The list, if its postings are raw or in blocks, without its place in a query. `tables` are those
/// of its segment.
WARPDEX_HOST_DEVICE inline List make_list(const ListSource& source, const ListTables& tables,
                                          const ListUse& use) {
  List list{};
  list.size = source.size;
  list.blocks = (source.size + kBlockSize - 1) / kBlockSize;
  list.weight = use.weight;
  list.c0 = use.c0;
  list.c1 = use.c1;
  list.bound = use.bound;
  list.tile_row = kNone;
  list.flags = static_cast<std::uint16_t>((source.flags & 0xFF) | use.flags);
  list.field = use.field;
  list.first_document = tables.first_document;
  list.stored_block = use.stored_block;
  list.stored_row = use.stored_row;
  list.c2 = use.c2;
  if (source.flags & kRaw) {
    list.docids.bytes = source.docids;
    list.frequencies.bytes = source.docids + kRawEntries * sizeof(std::uint32_t);
    list.last_docids = reinterpret_cast<const std::uint32_t*>(source.docids) + source.size - 1;
    return list;
  }
  list.docids =
      make_values(source, tables.docids, source.docids, source.docid_tail,
                  (source.flags & kFlatDocidTail) != 0, source.docid_parameter, tables.levels);
  list.frequencies = make_values(source, tables.frequencies, source.frequencies,
                                 source.frequency_tail, (source.flags & kFlatFrequencyTail) != 0,
                                 source.frequency_parameter, tables.levels);
  list.last_docids = tables.last_docids + source.first_block;
  list.bounds = tables.bounds + source.first_block;
  if (source.frequent_list != kNone) {
    list.tile_score_bounds =
        tables.range_bounds + std::uint64_t{source.frequent_list} * tables.ranges;
  }
  return list;
}

/// Gives a list its place in a query: it is list number `rank` in segment number `i` of the entry.
/// `tables` are those of all segments.
WARPDEX_HOST_DEVICE inline void place_list(const EntrySource& entry, const SegmentTables* tables,
                                           std::uint32_t i, std::uint32_t rank, List& list) {
  list.rank = static_cast<std::uint8_t>(rank);
  if (entry.row == kNone) return;
  const SegmentTables& first = tables[entry.first_segment];
  const SegmentTables& own = tables[entry.first_segment + i];
  const std::uint32_t before =
      entry.query.list_count * (own.row_entries_before - first.row_entries_before);
  list.or_query = entry.or_query + i;
  list.tile_row = entry.row + before + rank * own.row_entries - own.first_tile();
}

/// The entry in segment number `i` of those that it is in.
WARPDEX_HOST_DEVICE inline Query make_query(const EntrySource& entry, const SegmentTables* tables,
                                            std::uint32_t i) {
  const SegmentTables& first = tables[entry.first_segment];
  const SegmentTables& own = tables[entry.first_segment + i];
  Query query = entry.query;
  query.first_list += i * query.list_count;
  query.first_tile = own.first_tile();
  query.end_tile = query.first_tile + own.tiles;
  if (query.tile_row != kNone) {
    query.tile_row += own.tiles_before - first.tiles_before - query.first_tile;
  }
  return query;
}

}  // namespace warpdex::gpu
