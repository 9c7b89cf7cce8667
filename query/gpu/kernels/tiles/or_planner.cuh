// The warp that plans the blocks of an item while others accumulate those of the plan before, and
// that turns documents that were handed over into candidates. Internal to or_tiles.cu.
#pragma once

#include "gpu/kernels/tiles/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Decides how the values of a scoring block are decoded. For `pfor`, finds their exceptions and
/// prefetches these to the L2 cache. One thread.
template <CodecKind kCodec, class Entry>
__device__ inline void plan_values(const OrRounds& batch, const List& list,
                                   std::uint32_t list_index, Entry& entry) {
  using Decoder = device::BlockDecoder<kCodec>;
  if (list.flags & kRaw) return;
  device::BlockPlace place{entry.values, entry.index, entry.traits.value_code, entry.traits.count};
  const auto tail = value_tail<kCodec>(batch, list_index);
  if constexpr (kCodec == CodecKind::kPfor) {
    place.exceptions = device::pfor::find_exceptions(list.frequencies, entry.index);
    entry.value_exceptions = place.exceptions;
    entry.value_levels = list.frequencies.levels;
    device::pfor::visit_starts(*tail, place.exceptions, prefetch);
  }
  if (Decoder::is_usual(list.frequencies, tail, place)) entry.traits.flags |= kUsual;
}

/// The list of block number `i` of an item: the first list whose end is above `i`.
__device__ inline std::uint32_t list_of_block(const PlannedItem& item, std::uint32_t i) {
  const std::uint32_t lists = item.query.list_count;
  std::uint32_t list = 0;
  for (std::uint32_t step = 1U << (31 - __clz(static_cast<int>(lists))); step > 0; step /= 2) {
    if (list + step < lists && item.ends[list + step - 1] <= i) list += step;
  }
  return list;
}

/// Plans the next blocks of an item, as many as fit. Blocks of prohibited lists get plans of their
/// own, after all scoring blocks. One warp.
template <CodecKind kCodec, class Units, bool kIsHuge>
__device__ inline void plan_blocks(const OrRounds& batch, PlannedItem (&items)[2],
                                   std::uint32_t which,
                                   typename Memory<kCodec, Units>::Plan& plan) {
  PlannedItem& item = items[which];
  if (item.is_end) {
    if (lane_id() == 0) plan.is_end = true;
    return;
  }
  copy_query(item.query, plan.query);
  const std::uint32_t from = item.planned;
  const std::uint32_t scoring = item.query.scoring_lists;
  const std::uint32_t added = kIsHuge && scoring == 0 ? 0 : item.ends[scoring - 1];
  const std::uint32_t end = from < added ? added : item.blocks;
  const std::uint32_t to = min(from + TileShape<kCodec, Units>::kBlocks, end);
  __syncwarp();  // all lanes have read item.planned
  if (lane_id() == 0) {
    item.planned = to;
    plan.info = item.info;
    plan.count = to - from;
    plan.erases = from >= added;
    plan.is_first = from == 0 && (!kIsHuge || item.is_first);
    const bool ends_group = to == item.blocks;
    const bool is_last = ends_group && (!kIsHuge || item.info.lists_behind == 0);
    plan.is_last = is_last;
    if constexpr (kIsHuge) {
      plan.ends_group = ends_group;
      plan.has_work = to > from || is_last;
    }
    plan.is_end = false;
    plan.item = static_cast<std::uint8_t>(which);
  }
  const List* const lists = batch.lists + item.query.first_list;
  for (std::uint32_t i = from + lane_id(); i < to; i += kWarp) {
    const std::uint32_t list = list_of_block(item, i);
    const std::uint32_t block = item.first[list] + i - (list == 0 ? 0 : item.ends[list - 1]);
    auto& entry = plan.blocks[i - from];
    static_cast<BlockEntry&>(entry) =
        find_block<kCodec, Units, kIsHuge>(item.query, lists[list], list, block, item.info);
    prefetch(entry.docids);
    prefetch(entry.values);
    if (i >= added) continue;
    plan_values<kCodec>(batch, lists[list], item.query.first_list + list, entry);
  }
}

/// Turns documents that were handed over into candidates, if they reach the threshold with their
/// static scores. Then raises the query's threshold. One warp.
template <class Units>
__device__ inline void settle(const OrRounds& batch, HandedDocuments& handed) {
  if (handed.count == 0) return;
  bool has = lane_id() < handed.count;
  std::uint32_t document = 0;
  std::uint32_t sum = 0;
  if (has) {
    document = handed.begin + (handed.kept[lane_id()] & 0xFFFF);
    sum = (handed.kept[lane_id()] >> 16) + static_units(batch, handed.query, document);
    has = sum >= handed.need;
  }
  append_candidate<Units>(batch, handed.query, has, document, sum);
  __syncwarp();
  raise_threshold(batch, handed.query);
  __syncwarp();
  if (lane_id() == 0) handed.count = 0;
}

}  // namespace or_tiles
}  // namespace warpdex::gpu
