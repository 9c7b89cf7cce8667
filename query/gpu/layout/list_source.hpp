// A list of a query as the host writes it, and the List that kernels read, made from it and from
// what all lists of a segment share. Large batches send sources, two fifths of the bytes. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::gpu {

/// Where the docIDs or the frequencies of a segment's lists have their metadata, by block. Pointers
/// are the GPU's.
struct ValueTables {
  const std::uint32_t* bases = nullptr;
  const std::uint16_t* offsets = nullptr;
  const std::uint8_t* codes = nullptr;
  const ExceptionEntry* exceptions = nullptr;
  const ExceptionBase* exception_bases = nullptr;
  const std::uint8_t* flat_tails = nullptr;
};

/// What all lists of a segment share.
struct ListTables {
  ValueTables docids;
  ValueTables frequencies;
  const std::uint32_t* last_docids = nullptr;
  const ScoreBound* bounds = nullptr;
  const ScoreBound* range_bounds = nullptr;  ///< where the entry of tile 0 would be
  std::uint32_t ranges = 0;                  ///< bounds of a frequent list
  std::uint32_t first_document = 0;          ///< of the segment
  std::uint8_t levels = 0;                   ///< DeviceValues::levels
};

/// Flags of a source beside its ListFlags.
enum SourceFlags : std::uint16_t {
  kPacked = 0x100,             ///< a raw list that its image has without padding
  kFlatDocidTail = 0x200,      ///< docid_tail counts from flat_tails, in units of kFlatTailUnit
  kFlatFrequencyTail = 0x400,  ///< likewise
};
inline constexpr std::uint32_t kFlatTailUnit = 16;

/// One distinct term of one query in one segment.
struct alignas(16) ListSource {
  const std::uint8_t* docids;       ///< the first block; of a raw list its plain docIDs
  const std::uint8_t* frequencies;  ///< likewise; of a raw list not read
  std::uint32_t docid_tail;         ///< where the tail starts, in bytes from the first block
  std::uint32_t frequency_tail;     ///< likewise
  std::uint32_t size;               ///< postings
  std::uint32_t first_block;        ///< in the block arrays; if kPacked its first word in the image
  std::uint32_t first_base;         ///< in the arrays of bases
  std::uint32_t frequent_list;      ///< PostingsEntry's
  float weight;                     ///< this and what follows are List's
  float c0;
  float c1;
  float bound;
  std::uint32_t or_query;
  std::uint32_t tile_row;
  std::uint32_t stored_block;
  std::uint32_t stored_row;
  std::uint16_t flags;  ///< ListFlags and SourceFlags
  std::uint16_t rank;
  std::uint16_t segment;  ///< its number
  std::uint8_t docid_parameter;
  std::uint8_t frequency_parameter;
};
static_assert(sizeof(ListSource) == 80);

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

/// The list, if its postings are raw or in blocks. `tables` are those of its segment.
WARPDEX_HOST_DEVICE inline List make_list(const ListSource& source, const ListTables& tables) {
  List list{};
  list.size = source.size;
  list.blocks = (source.size + kBlockSize - 1) / kBlockSize;
  list.weight = source.weight;
  list.c0 = source.c0;
  list.c1 = source.c1;
  list.bound = source.bound;
  list.tile_row = source.tile_row;
  list.flags = static_cast<std::uint16_t>(source.flags & 0xFF);
  list.rank = source.rank;
  list.or_query = source.or_query;
  list.first_document = tables.first_document;
  list.stored_block = source.stored_block;
  list.stored_row = source.stored_row;
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

}  // namespace warpdex::gpu
