// The warp that plans tiles of OR while others add them up. Internal to or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Draws items and finds out what the decoders need to know of each: as many plans as its blocks
/// take.
template <CodecKind kCodec, ScoreForm kForm>
class Planner {
 public:
  using Plan = typename Memory<kCodec, kForm>::Plan;

  __device__ Planner(const Batch& batch, std::uint32_t pass, PlannedItem& item)
      : batch_(batch),
        drawn_(batch.tile_passes[pass].drawn),
        items_(batch.tile_passes[pass].items),
        first_(pass == 0 ? 0 : batch.tile_passes[0].items),
        item_(item) {}

  /// Before the first plan().
  __device__ void start() {
    if (lane_id() == 0) item_.planned = item_.blocks = 0;
    draw();
  }

  /// Plans the next blocks of the item, or the first of the next that is not hopeless meanwhile.
  __device__ void plan(Plan& plan) {
    __syncwarp();  // lane 0 has written how far the last plan came
    if (item_.planned < item_.blocks) {
      copy(batch_.queries + item_.query, &plan.query, 1);
      __syncwarp();
    } else if (!start_item(plan)) {
      plan.is_end = true;
      return;
    }
    plan_blocks(plan);
  }

 private:
  __device__ void draw() {
    if (lane_id() == 0) next_ = atomicAdd(&drawn_, 1);
  }

  /// Returns false if there is none.
  __device__ bool start_item(Plan& plan) {
    for (;;) {
      __syncwarp();  // no lane looks at what the next attempt overwrites
      const std::uint32_t next = __shfl_sync(kWholeWarp, next_, 0);
      if (next >= items_) return false;
      draw();  // the next one, which arrives meanwhile
      TileItem item = batch_.tile_items[first_ + next];
      copy(batch_.queries + item.query, &plan.query, 1);
      __syncwarp();
      leave_hopeless_out(plan.query, item);
      if (item.count == 0) continue;
      find_lists(plan.query, item);
      if (lane_id() == 0) describe(plan.query, item);
      __syncwarp();
      return true;
    }
  }

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
  __device__ void describe(const Query& query, const TileItem& item) {
    item_.query = item.query;
    item_.planned = 0;
    item_.blocks = item_.ends[query.lists - 1];
    item_.span.begin = item.tile * kTileDocuments;
    item_.span.half = item.count * (kTileDocuments / 2);
    item_.span.static_bound = static_tile_bound(batch_, query, item.tile);
    if (item.count > 1) {
      item_.span.static_bound =
          max(item_.span.static_bound, static_tile_bound(batch_, query, item.tile + 1));
    }
    item_.span.below = below(query, item_.span);
    item_.span.copies_lengths = item_.ends[query.scoring - 1] >= kFewBlocks * item.count;
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

  template <typename T>
  __device__ void copy(const T* from, T* to, std::uint32_t count) {
    const auto* source = reinterpret_cast<const uint4*>(from);
    auto* target = reinterpret_cast<uint4*>(to);
    static_assert(sizeof(T) % sizeof(uint4) == 0);
    for (std::uint32_t i = lane_id(); i < count * sizeof(T) / sizeof(uint4); i += kWarp) {
      target[i] = source[i];
    }
  }

  /// The lists' blocks in the item.
  __device__ void find_lists(const Query& query, const TileItem& item) {
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
        item_.first[i] = first;
      }
      const std::uint32_t sum = device::inclusive_sum(blocks);
      if (i < query.lists) item_.ends[i] = total + sum;
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

  /// The next blocks of the item, as many as fit; those of prohibited lists not with others, which
  /// must all be added up before.
  __device__ void plan_blocks(Plan& plan) {
    const std::uint32_t from = item_.planned;
    const std::uint32_t added = item_.ends[plan.query.scoring - 1];
    const std::uint32_t end = from < added ? added : item_.blocks;
    const std::uint32_t to = min(from + Shape<kCodec, kForm>::kBlocks, end);
    __syncwarp();  // all lanes have read how far it was
    if (lane_id() == 0) {
      item_.planned = to;
      plan.span = item_.span;
      plan.count = to - from;
      plan.erases = from >= added;
      plan.is_first = from == 0;
      plan.is_last = to == item_.blocks;
      plan.is_end = false;
    }
    const List* const lists = batch_.lists + plan.query.first_list;
    for (std::uint32_t i = from + lane_id(); i < to; i += kWarp) {
      std::uint32_t list = 0;
      while (i >= item_.ends[list]) ++list;
      const std::uint32_t block = item_.first[list] + i - (list == 0 ? 0 : item_.ends[list - 1]);
      const BlockEntry entry = find_block<kCodec>(plan.query, lists[list], list, block, item_.span);
      plan.blocks[i - from] = entry;
      prefetch(entry.docids);
      prefetch(entry.values);
    }
  }

  const Batch& batch_;
  std::uint32_t& drawn_;
  std::uint32_t items_;
  std::uint32_t first_;     ///< where they start
  std::uint32_t next_ = 0;  ///< of lane 0: the item drawn
  PlannedItem& item_;
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
