// The warp that plans tiles of OR while others add them up. Internal to or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Draws tiles and finds out what the decoders need to know of each.
template <ScoreForm kForm>
class Planner {
 public:
  __device__ Planner(const Batch& batch, std::uint32_t pass)
      : batch_(batch),
        drawn_(batch.tile_passes[pass].drawn),
        items_(batch.tile_passes[pass].items),
        first_(pass == 0 ? 0 : batch.tile_passes[0].items) {}

  /// Before the first plan().
  __device__ void draw() {
    if (lane_id() == 0) next_ = atomicAdd(&drawn_, 1);
  }

  /// Plans the next tile that is not hopeless meanwhile.
  __device__ void plan(TilePlan& plan) {
    for (;;) {
      __syncwarp();  // no lane looks at what the next attempt overwrites
      const std::uint32_t item = __shfl_sync(kWholeWarp, next_, 0);
      if (item >= items_) {
        plan.is_end = true;
        return;
      }
      draw();  // the next one, which arrives meanwhile
      const TileItem drawn = batch_.tile_items[first_ + item];
      copy(batch_.queries + drawn.query, &plan.query, 1);
      __syncwarp();
      if (plan_tile(plan, drawn.tile)) return;
    }
  }

 private:
  /// Returns false if the tile is hopeless.
  __device__ bool plan_tile(TilePlan& plan, std::uint32_t tile) {
    const Query& query = plan.query;
    const std::uint32_t begin = tile * kTileDocuments;
    const bool skips = (query.flags & (kCount | kExhaustive)) == 0;
    // What is needed rises meanwhile: all lanes go by what one has read.
    const std::uint32_t need = __shfl_sync(kWholeWarp, Need(batch_, query).of(begin), 0);
    if (skips && batch_.tile_bounds[query.row + tile] < need) return false;
    const std::uint32_t blocks = add_lists(plan, tile);
    if (lane_id() == 0) {
      plan.begin = begin;
      plan.static_bound = static_tile_bound(batch_, query, tile);
      plan.is_end = false;
      if (batch_.work != nullptr) atomicAdd(&batch_.work->tiles, 1ULL);
    }
    __syncwarp();
    find_blocks(plan, min(blocks, kBlocksHere));
    return true;
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

  /// The lists' blocks in the tile. Returns how many they are together.
  __device__ std::uint32_t add_lists(TilePlan& plan, std::uint32_t tile) {
    const Query& query = plan.query;
    const List* const lists = batch_.lists + query.first_list;
    std::uint32_t total = 0;
    for (std::uint32_t begin = 0; begin < query.lists; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t blocks = 0;
      if (i < query.lists) {
        const std::uint32_t row = lists[i].row + tile;
        const std::uint32_t first = batch_.first_blocks[row];
        const std::uint32_t next = batch_.first_blocks[row + 1];
        const std::uint32_t in_list = lists[i].blocks;
        const bool meets = first < in_list && has_postings(query, lists, i, tile);
        blocks = meets ? min(next, in_list - 1) - first + 1 : 0;
        plan.first[i] = first;
      }
      const std::uint32_t sum = device::inclusive_sum(blocks);
      if (i < query.lists) plan.ends[i] = total + sum;
      total += __shfl_sync(kWholeWarp, sum, kWarp - 1);
    }
    __syncwarp();
    return total;
  }

  /// Whether a list may have a posting in the tile.
  __device__ bool has_postings(const Query& query, const List* lists, std::uint32_t i,
                               std::uint32_t tile) const {
    if (i >= query.scoring) return true;
    const std::uint32_t before =
        i == 0 ? batch_.tile_bounds[query.row + tile] : batch_.rests[lists[i - 1].row + tile];
    return batch_.rests[lists[i].row + tile] < before;
  }

  __device__ void find_blocks(TilePlan& plan, std::uint32_t count) {
    const List* const lists = batch_.lists + plan.query.first_list;
    for (std::uint32_t i = lane_id(); i < count; i += kWarp) {
      std::uint32_t list = 0;
      while (i >= plan.ends[list]) ++list;
      const std::uint32_t block = plan.first[list] + i - (list == 0 ? 0 : plan.ends[list - 1]);
      const BlockEntry entry = find_block(plan.query, lists[list], list, block, plan.begin);
      plan.blocks[i] = entry;
      prefetch(entry.docids);
      prefetch(entry.values);
    }
  }

  const Batch& batch_;
  std::uint32_t& drawn_;
  std::uint32_t items_;
  std::uint32_t first_;     ///< where they start
  std::uint32_t next_ = 0;  ///< of lane 0: the item drawn
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
