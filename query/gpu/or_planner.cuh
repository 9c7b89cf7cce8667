// The warp that plans regions and tiles of OR while others decode. Internal to or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// The warp that plans: draws items and finds out what the decoders need to know of each.
template <ScoreForm kForm>
class Planner {
 public:
  __device__ Planner(const Batch& batch, Memory<kForm>& memory, std::uint32_t items,
                     std::uint32_t at_once)
      : batch_(batch), memory_(memory), items_(items), at_once_(at_once) {}

  /// Plans the next region or tile that is not hopeless.
  __device__ void plan(TilePlan& plan) {
    for (;;) {
      __syncwarp();  // no lane looks at what the next attempt overwrites
      while (tiles_left_ > 0) {
        if (plan_tile(plan, kRegionTiles - tiles_left_--)) return;
      }
      while (next_ == queued_) {
        if (!draw()) {
          plan.is_end = true;
          return;
        }
      }
      query_index_ = memory_.queue[next_];
      region_ = memory_.queue_regions[next_++];
      copy(batch_.queries + query_index_, &plan.query, 1);
      __syncwarp();
      switch (plan_region(plan)) {
        case Outcome::kPlanned: return;
        case Outcome::kByTiles: tiles_left_ = kRegionTiles; break;
        case Outcome::kHopeless: break;
      }
    }
  }

 private:
  enum class Outcome { kHopeless, kPlanned, kByTiles };

  /// Draws the next items from the counter, each lane one, and queues those that are not hopeless.
  /// Items go by places in the queries' orders first, so that every query's best regions come
  /// early. Returns false at the end.
  __device__ bool draw() {
    std::uint32_t first = 0;
    if (lane_id() == 0) first = atomicAdd(&batch_.counters[0], at_once_);
    first = __shfl_sync(kWholeWarp, first, 0);
    if (first >= items_) return false;
    const std::uint32_t item = first + lane_id();
    bool wanted = lane_id() < at_once_ && item < items_;
    std::uint32_t region = 0;
    std::uint32_t query_index = 0;
    if (wanted) {
      query_index = batch_.and_queries + item % batch_.or_queries;
      const Query& query = batch_.queries[query_index];
      region = batch_.region_order[query.order + item / batch_.or_queries];
      const std::uint32_t bound = batch_.region_bounds[query.order + region];
      wanted = bound > 0 &&
               (reads_all(query) || bound >= needed_sum(batch_, query, region * kRegionDocuments));
    }
    const std::uint32_t group = __ballot_sync(kWholeWarp, wanted);
    if (wanted) {
      const std::uint32_t place = __popc(group & ((1U << lane_id()) - 1));
      memory_.queue[place] = query_index;
      memory_.queue_regions[place] = region;
    }
    __syncwarp();
    next_ = 0;
    queued_ = __popc(group);
    return true;
  }

  __device__ static bool reads_all(const Query& query) {
    return (query.flags & (kCount | kExhaustive)) != 0;
  }

  __device__ Outcome plan_region(TilePlan& plan) {
    if (reads_all(plan.query) || plan.query.lists > plan.query.scoring) return Outcome::kByTiles;
    const std::uint32_t first_tile = region_ * kRegionTiles;
    Totals totals = add_lists(plan, first_tile, kRegionTiles);
    for (std::uint32_t i = 0; i < kRegionTiles && batch_.static_bounds != nullptr; ++i) {
      totals.static_bound =
          max(totals.static_bound, static_tile_bound(batch_, plan.query, first_tile + i));
    }
    if (!choose_essential(plan, totals, first_tile)) return Outcome::kHopeless;
    const std::uint32_t essential = plan.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : plan.ends[essential - 1];
    if (blocks > kSparseBlocks) return Outcome::kByTiles;
    find_blocks(plan, blocks);
    if (lane_id() == 0) plan.is_sparse = true;
    return Outcome::kPlanned;
  }

  /// Returns false if the tile is hopeless.
  __device__ bool plan_tile(TilePlan& plan, std::uint32_t which) {
    __syncwarp();  // all lanes have read what is there
    copy(batch_.queries + query_index_, &plan.query, 1);
    __syncwarp();
    const std::uint32_t tile = region_ * kRegionTiles + which;
    Totals totals = add_lists(plan, tile, 1);
    if (totals.bound == 0) return false;
    if (batch_.static_bounds != nullptr) {
      totals.static_bound = static_tile_bound(batch_, plan.query, tile);
    }
    if (!choose_essential(plan, totals, tile)) return false;
    find_blocks(plan, min(totals.blocks, kBlocksHere));
    if (lane_id() == 0) plan.is_sparse = false;
    return true;
  }

  struct Totals {
    std::uint32_t blocks = 0;
    std::uint32_t bound = 0;  ///< units of all lists
    std::uint32_t static_bound = 0;
  };

  /// Finds the first list from which on no document can reach the threshold, static scores
  /// included. Returns false if that is the first of all.
  __device__ bool choose_essential(TilePlan& plan, const Totals& totals, std::uint32_t first_tile) {
    const Query& query = plan.query;
    const std::uint32_t begin = first_tile * kTileDocuments;
    const bool all = reads_all(query);
    const std::uint32_t threshold = needed_sum(batch_, query, begin);
    std::uint32_t rest = totals.bound + totals.static_bound;
    if (!all && rest < threshold) return false;
    std::uint32_t essential = 0;
    while (essential < query.scoring && (all || rest >= threshold)) {
      rest -= plan.bounds[essential];
      ++essential;
    }
    if (lane_id() == 0) {
      plan.begin = begin;
      plan.essential = essential;
      plan.threshold = threshold;
      plan.static_bound = totals.static_bound;
      plan.rest = rest;
      plan.is_end = false;
      if (batch_.work != nullptr) atomicAdd(&batch_.work->tiles, 1ULL);
    }
    __syncwarp();
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

  /// The lists' blocks in some tiles, and their bounds.
  __device__ Totals add_lists(TilePlan& plan, std::uint32_t first_tile, std::uint32_t tiles) {
    const Query& query = plan.query;
    const List* const lists = batch_.lists + query.first_list;
    Totals totals;
    for (std::uint32_t begin = 0; begin < query.lists; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t blocks = 0;
      std::uint32_t bound = 0;
      if (i < query.lists) {
        const std::uint32_t row = lists[i].row + first_tile;
        const std::uint32_t first = batch_.first_blocks[row];
        const std::uint32_t next = batch_.first_blocks[row + tiles];
        const std::uint32_t in_list = lists[i].blocks;
        if (i < query.scoring) {
          for (std::uint32_t tile = 0; tile < tiles; ++tile) {
            bound = max(bound, batch_.upper_bounds[row + tile]);
          }
        }
        const bool meets = first < in_list && (bound > 0 || i >= query.scoring);
        blocks = meets ? min(next, in_list - 1) - first + 1 : 0;
        plan.first[i] = first;
        plan.bounds[i] = bound;
      }
      std::uint32_t sum = blocks;
      for (std::uint32_t step = 1; step < kWarp; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
        if (lane_id() >= step) sum += other;
      }
      if (i < query.lists) plan.ends[i] = totals.blocks + sum;
      totals.blocks += __shfl_sync(kWholeWarp, sum, kWarp - 1);
      totals.bound += __reduce_add_sync(kWholeWarp, bound);
    }
    __syncwarp();
    return totals;
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
  Memory<kForm>& memory_;
  std::uint32_t items_;
  std::uint32_t at_once_;
  std::uint32_t next_ = 0;
  std::uint32_t queued_ = 0;
  std::uint32_t query_index_ = 0;
  std::uint32_t region_ = 0;
  std::uint32_t tiles_left_ = 0;  ///< of the region, where it is done by tiles
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
