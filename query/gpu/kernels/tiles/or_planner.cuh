// The two warps that plan tiles of OR while others add them up: one finds items and their lists,
// the other the blocks of these, an item behind. Internal to or_tiles.cu.
#pragma once

#include "gpu/kernels/tiles/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Draws items and finds out what is to be known of each as a whole.
class ItemFinder {
 public:
  /// `drawn`, in shared memory, is the finder's own: the next item.
  __device__ ItemFinder(const Batch& batch, std::uint32_t pass, std::uint32_t& drawn)
      : batch_(batch), pass_(pass), drawn_(drawn) {}

  /// Before the first find().
  __device__ void start() {
    if (lane_id() == 0) drawn_ = draw();
  }

  /// Finds the next item that is not hopeless meanwhile.
  __device__ void find(PlannedItem& found) {
    for (;;) {
      __syncwarp();  // lane 0 has drawn; no lane looks at what is overwritten
      const std::uint32_t drawn = drawn_;
      if (drawn >= batch_.tile_passes[pass_].items) {
        found.is_end = true;
        return;
      }
      const std::uint32_t first = pass_ == 0 ? 0 : batch_.tile_passes[0].items;
      TileItem item = batch_.tile_items[first + drawn];
      std::uint32_t next = 0;
      if (lane_id() == 0) next = draw();  // it arrives meanwhile
      copy_query(batch_.queries[item.query], found.query);
      __syncwarp();
      leave_hopeless_out(found.query, item);
      if (item.count > 0) find_lists(found, item);
      if (lane_id() == 0) {
        if (item.count > 0) describe(found, item);
        drawn_ = next;
      }
      if (item.count > 0) return;
    }
  }

  /// By a whole warp.
  __device__ static void copy_query(const Query& from, Query& to) {
    static_assert(sizeof(Query) % sizeof(uint4) == 0 && sizeof(Query) <= kWarp * sizeof(uint4));
    if (lane_id() >= sizeof(Query) / sizeof(uint4)) return;
    reinterpret_cast<uint4*>(&to)[lane_id()] = reinterpret_cast<const uint4*>(&from)[lane_id()];
  }

 private:
  __device__ std::uint32_t draw() { return atomicAdd(&batch_.tile_passes[pass_].drawn, 1); }

  /// Takes tiles at the item's ends away.
  __device__ void leave_hopeless_out(const Query& query, TileItem& item) const {
    if ((query.flags & (kCount | kExhaustive)) != 0) return;
    // What is needed rises meanwhile: all lanes go by what one has read.
    Need need(batch_, query);
    need.threshold = __shfl_sync(kWholeWarp, need.threshold, 0);
    need.last_tied = __shfl_sync(kWholeWarp, need.last_tied, 0);
    const auto is_hopeless = [&](std::uint32_t tile) {
      return batch_.tile_bounds[query.row + tile] < need.of(tile * kTileDocuments);
    };
    while (item.count > 0 && is_hopeless(item.tile + item.count - 1)) item.count = item.count - 1;
    if (item.count < 2 || !is_hopeless(item.tile)) return;
    item.tile = item.tile + 1;
    item.count = 1;
  }

  /// One lane: what is known of the item as a whole, once its lists are found.
  __device__ void describe(PlannedItem& found, const TileItem& item) {
    const Query& query = found.query;
    found.planned = 0;
    found.blocks = found.ends[query.lists - 1];
    found.is_end = false;
    ItemSpan& span = found.span;
    span.begin = item.tile * kTileDocuments;
    span.half = item.count * (kTileDocuments / 2);
    span.static_bound = static_tile_bound(batch_, query, item.tile);
    if (item.count > 1) {
      span.static_bound = max(span.static_bound, static_tile_bound(batch_, query, item.tile + 1));
    }
    span.below = below(query, span);
    span.copies_lengths = found.ends[query.scoring - 1] >= kFewBlocks * item.count;
    if (batch_.work != nullptr) {
      atomicAdd(&batch_.work->tiles, static_cast<unsigned long long>(item.count));
    }
  }

  /// What ItemSpan::below is. Not worth while if about all documents reach what is needed.
  __device__ std::uint32_t below(const Query& query, const ItemSpan& span) const {
    const std::uint32_t need = Need(batch_, query).of(span.begin);
    if (need < span.static_bound + 2) return kNone;
    return (min(need - span.static_bound, 65'535U) << 16) - 1;
  }

  /// The lists' blocks in the item.
  __device__ void find_lists(PlannedItem& found, const TileItem& item) {
    const Query& query = found.query;
    const List* const lists = batch_.lists + query.first_list;
    std::uint32_t total = 0;
    for (std::uint32_t begin = 0; begin < query.lists; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t blocks = 0;
      if (i < query.lists) {
        const std::uint32_t row = lists[i].row + item.tile;
        const std::uint32_t first = batch_.first_blocks[row];
        const std::uint32_t next = batch_.first_blocks[row + item.count];
        const std::uint32_t in_list = lists[i].blocks;
        const bool meets = first < in_list && has_postings(query, lists, i, item);
        blocks = meets ? min(next, in_list - 1) - first + 1 : 0;
        found.first[i] = first;
      }
      const std::uint32_t sum = inclusive_sum(blocks);
      if (i < query.lists) found.ends[i] = static_cast<std::uint16_t>(total + sum);
      total += __shfl_sync(kWholeWarp, sum, kWarp - 1);
    }
    __syncwarp();
  }

  /// Whether a list may have a posting in the item.
  __device__ bool has_postings(const Query& query, const List* lists, std::uint32_t i,
                               const TileItem& item) const {
    if (i >= query.scoring) return true;
    const std::uint32_t* const before =
        (i == 0 ? batch_.tile_bounds + query.row : batch_.rests + lists[i - 1].row) + item.tile;
    const std::uint32_t* const rests = batch_.rests + lists[i].row + item.tile;
    return rests[0] < before[0] || rests[item.count - 1] < before[item.count - 1];
  }

  const Batch& batch_;
  std::uint32_t pass_;
  std::uint32_t& drawn_;
};

/// Finds out how a scoring block's values are decoded; of `pfor`, finds their exceptions, and has
/// the L2 cache read what they start with. A thread.
template <CodecKind kCodec, int kLevels, class Entry>
__device__ inline void plan_values(const Batch& batch, const List& list, std::uint32_t list_index,
                                   Entry& entry) {
  using Decoder = device::BlockDecoder<kCodec, kLevels>;
  if (list.flags & kRaw) return;
  device::BlockPlace place{entry.values, entry.index, entry.traits.value_code, entry.traits.count};
  const auto tail = value_tail<kCodec, kLevels>(batch, list_index);
  if constexpr (kCodec == CodecKind::kPfor) {
    place.exceptions = device::pfor::find_exceptions(list.frequencies, entry.index);
    entry.value_exceptions = place.exceptions;
    entry.value_levels = list.frequencies.levels;
    device::pfor::visit_starts(*tail, place.exceptions, prefetch);
  }
  if (Decoder::is_usual(list.frequencies, tail, place)) entry.traits.flags |= kUsual;
}

/// Plans the next blocks of an item, as many as fit; those of prohibited lists not with others,
/// which must all be added up before. One warp.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__device__ inline void plan_blocks(const Batch& batch, PlannedItem (&items)[2], std::uint32_t which,
                                   typename Memory<kCodec, kLevels, kForm>::Plan& plan) {
  PlannedItem& item = items[which];
  if (item.is_end) {
    if (lane_id() == 0) plan.is_end = true;
    return;
  }
  ItemFinder::copy_query(item.query, plan.query);
  const std::uint32_t from = item.planned;
  const std::uint32_t added = item.ends[item.query.scoring - 1];
  const std::uint32_t end = from < added ? added : item.blocks;
  const std::uint32_t to = min(from + Shape<kCodec, kLevels, kForm>::kBlocks, end);
  __syncwarp();  // all lanes have read how far it was
  if (lane_id() == 0) {
    item.planned = to;
    plan.span = item.span;
    plan.count = to - from;
    plan.erases = from >= added;
    plan.is_first = from == 0;
    plan.is_last = to == item.blocks;
    plan.is_end = false;
    plan.item = static_cast<std::uint8_t>(which);
  }
  const List* const lists = batch.lists + item.query.first_list;
  for (std::uint32_t i = from + lane_id(); i < to; i += kWarp) {
    std::uint32_t list = 0;
    while (i >= item.ends[list]) ++list;
    const std::uint32_t block = item.first[list] + i - (list == 0 ? 0 : item.ends[list - 1]);
    auto& entry = plan.blocks[i - from];
    static_cast<BlockEntry&>(entry) =
        find_block<kCodec, kForm>(item.query, lists[list], list, block, item.span);
    prefetch(entry.docids);
    prefetch(entry.values);
    if (i >= added) continue;
    plan_values<kCodec, kLevels>(batch, lists[list], item.query.first_list + list, entry);
  }
}

}  // namespace or_tiles
}  // namespace warpdex::gpu
