// The warp that finds the next item of OR, and the blocks of each list in it, while others plan and
// accumulate. Internal to or_tiles.cu.
#pragma once

#include "gpu/kernels/tiles/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Documents of a piece of a tile.
__device__ inline std::uint32_t piece_documents(const OrRounds& batch) {
  return kTileDocuments / batch.tile_pieces;
}

/// The items of a pass; pieces of tiles count as items of their own.
__device__ inline std::uint32_t item_count(const OrRounds& batch, std::uint32_t pass) {
  return batch.tile_passes[pass].items * batch.tile_pieces;
}

/// Takes items one by one, and finds what is known of each as a whole. One warp. `kIsHuge`: queries
/// are.
template <bool kIsHuge>
class ItemFinder {
 public:
  /// `next_item` lies in shared memory and belongs to the finder: the number of the next item.
  __device__ ItemFinder(const OrRounds& batch, std::uint32_t pass, std::uint32_t& next_item)
      : batch_(batch), pass_(pass), next_item_(next_item) {}

  /// Call before the first find().
  __device__ void start() {
    if (lane_id() == 0) next_item_ = pieces() > 1 ? blockIdx.x : take_number();
  }

  /// Finds the next item whose bound still reaches the threshold.
  __device__ void find(PlannedItem& found) {
    for (;;) {
      __syncwarp();  // lane 0 has written the number, and all have read what is overwritten now
      const std::uint32_t next_item = next_item_;
      if (next_item >= item_count(batch_, pass_)) {
        found.is_end = true;
        return;
      }
      const std::uint32_t first = pass_ == 0 ? 0 : batch_.tile_passes[0].items;
      TileItem item = batch_.tile_items[first + next_item / pieces()];
      // The next number is on its way while the item is prepared. If tiles are cut into pieces,
      // most CTAs take a single one, so no counter is needed.
      std::uint32_t next = next_item + gridDim.x;
      if (lane_id() == 0 && pieces() == 1) next = take_number();
      copy_query(batch_.queries[item.query], found.query);
      __syncwarp();
      drop_hopeless(found.query, item);
      if constexpr (kIsHuge) start_groups(found);
      if (item.count > 0) find_lists(found, item, next_item % pieces(), true);
      if (lane_id() == 0) {
        if (item.count > 0) describe(found, item, next_item % pieces());
        next_item_ = next;
      }
      if (item.count > 0) return;
    }
  }

  /// Finds the next group of lists in the item of `before`, if it has more; else the next item.
  __device__ void find_next(const PlannedItem& before, PlannedItem& found) {
    const std::uint32_t lists = before.is_end ? 0 : before.info.lists_behind;
    if (lists == 0) return find(found);
    copy_query(before.query, found.query);
    __syncwarp();
    if (lane_id() == 0) {
      found.info = before.info;
      found.planned = 0;
      found.is_end = found.is_first = false;
      found.query.first_list += kMaxLists;
      take_group(lists, before.scoring_behind, found);
    }
    __syncwarp();
    const std::uint32_t size = piece_documents(batch_);
    TileItem item{};
    item.tile = found.info.begin / kTileDocuments;
    item.count = 1;
    find_lists(found, item, found.info.begin % kTileDocuments / size, false);
    if (lane_id() == 0) found.blocks = found.ends[found.query.list_count - 1];
  }

 private:
  __device__ std::uint32_t pieces() const { return batch_.tile_pieces; }

  /// Leaves the first group of a query's lists. A whole warp.
  __device__ static void start_groups(PlannedItem& found) {
    const std::uint32_t lists = found.query.list_count;
    const std::uint32_t scoring = found.query.scoring_lists;
    __syncwarp();
    if (lane_id() == 0) take_group(lists, scoring, found);
    __syncwarp();
  }

  /// Leaves a group of `lists` lists that a query still has, of which the first `scoring` score.
  /// One lane.
  __device__ static void take_group(std::uint32_t lists, std::uint32_t scoring,
                                    PlannedItem& found) {
    Query& query = found.query;
    query.list_count = min(lists, kMaxLists);
    query.scoring_lists = min(scoring, kMaxLists);
    found.info.lists_behind = static_cast<std::uint16_t>(lists - query.list_count);
    found.scoring_behind = static_cast<std::uint16_t>(scoring - query.scoring_lists);
  }

  __device__ std::uint32_t take_number() { return atomicAdd(&batch_.tile_passes[pass_].taken, 1); }

  /// Drops tiles of the item whose bounds are below the threshold.
  __device__ void drop_hopeless(const Query& query, TileItem& item) const {
    if ((query.flags & (kCount | kExhaustive)) != 0) return;
    // The threshold may rise meanwhile: all lanes use what one of them read.
    Threshold need(batch_, query);
    need.sum = __shfl_sync(kWholeWarp, need.sum, 0);
    need.last_tied = __shfl_sync(kWholeWarp, need.last_tied, 0);
    const auto is_hopeless = [&](std::uint32_t tile) {
      return batch_.tile_bounds[query.tile_row + tile] < need.at(tile * kTileDocuments);
    };
    while (item.count > 0 && is_hopeless(item.tile + item.count - 1)) item.count = item.count - 1;
    if (item.count < 2 || !is_hopeless(item.tile)) return;
    item.tile = item.tile + 1;
    item.count = 1;
  }

  /// Fills in what is known of the item as a whole, once its lists are found. One lane.
  __device__ void describe(PlannedItem& found, const TileItem& item, std::uint32_t piece) {
    const Query& query = found.query;
    found.planned = 0;
    found.blocks = found.ends[query.list_count - 1];
    found.is_end = false;
    if constexpr (kIsHuge) found.is_first = true;
    ItemInfo& info = found.info;
    info.begin = item.tile * kTileDocuments + piece * piece_documents(batch_);
    info.half = kIsHuge ? piece_documents(batch_) : item.count * (piece_documents(batch_) / 2);
    info.static_bound = static_tile_bound(batch_, query, item.tile);
    if (item.count > 1) {
      info.static_bound = max(info.static_bound, static_tile_bound(batch_, query, item.tile + 1));
    }
    info.crossing_word = crossing_word(query, info);
    info.copies_lengths = batch_.tile_room.has_lengths &&
                          found.ends[query.scoring_lists - 1] >= kFewBlocks * item.count;
    info.counts_postings = (query.flags & kCount) != 0 && found.blocks <= kCountedBlocks &&
                           query.scoring_lists == query.list_count &&
                           (!kIsHuge || info.lists_behind == 0);
    if (batch_.work != nullptr && piece == 0) {
      atomicAdd(&batch_.work->tiles, static_cast<unsigned long long>(item.count));
    }
  }

  /// Computes ItemInfo::crossing_word. kNone if nearly all documents would cross.
  __device__ std::uint32_t crossing_word(const Query& query, const ItemInfo& info) const {
    const std::uint32_t need = Threshold(batch_, query).at(info.begin);
    if (need < info.static_bound + 2) return kNone;
    if constexpr (kIsHuge) return need - info.static_bound - 1;
    return (min(need - info.static_bound, 65'535U) << 16) - 1;
  }

  /// Finds the blocks of each list in a piece of the item. `is_first`: the query's first lists.
  __device__ void find_lists(PlannedItem& found, const TileItem& item, std::uint32_t piece,
                             bool is_first) {
    const Query& query = found.query;
    const List* const lists = batch_.lists + query.first_list;
    std::uint32_t total = 0;
    for (std::uint32_t begin = 0; begin < query.list_count; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t blocks = 0;
      if (i < query.list_count) {
        const std::uint32_t row = lists[i].tile_row + item.tile;
        std::uint32_t first = batch_.first_blocks[row];
        const std::uint32_t next = batch_.first_blocks[row + item.count];
        const std::uint32_t in_list = lists[i].blocks;
        const bool meets = first < in_list && has_postings(query, lists, i, item, is_first);
        std::uint32_t last = min(next, in_list - 1);
        if (meets && pieces() > 1) narrow(lists[i], item.tile, piece, first, last);
        blocks = meets ? last - first + 1 : 0;
        found.first[i] = first;
      }
      const std::uint32_t sum = inclusive_sum(blocks);
      if (i < query.list_count) found.ends[i] = static_cast<std::uint16_t>(total + sum);
      total += __shfl_sync(kWholeWarp, sum, kWarp - 1);
    }
    __syncwarp();
  }

  /// Narrows the blocks [first, last] of a list, which meet a tile, to those that meet a piece of
  /// it; one too many if the list ends before the piece.
  __device__ void narrow(const List& list, std::uint32_t tile, std::uint32_t piece,
                         std::uint32_t& first, std::uint32_t& last) const {
    if (list.flags & kRaw) return;
    const std::uint32_t size = piece_documents(batch_);
    const std::uint32_t begin = tile * kTileDocuments + piece * size;
    const std::uint32_t more = last - first;
    last = lower_bound_by_parts<8>(list.last_docids, first, more, begin + size - 1);
    first = lower_bound_by_parts<8>(list.last_docids, first, more, begin);
  }

  /// Whether a list may have a posting in the item.
  __device__ bool has_postings(const Query& query, const List* lists, std::uint32_t i,
                               const TileItem& item, bool is_first) const {
    if (i >= query.scoring_lists) return true;
    const std::uint32_t* const before =
        (i == 0 && (!kIsHuge || is_first) ? batch_.tile_bounds + query.tile_row
                                          : batch_.suffix_bounds + (lists + i)[-1].tile_row) +
        item.tile;
    const std::uint32_t* const suffix_bounds = batch_.suffix_bounds + lists[i].tile_row + item.tile;
    return suffix_bounds[0] < before[0] || suffix_bounds[item.count - 1] < before[item.count - 1];
  }

  const OrRounds& batch_;
  std::uint32_t pass_;
  std::uint32_t& next_item_;
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
