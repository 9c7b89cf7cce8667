// Before each round of OR: raises the queries' thresholds by the candidates so far, and decides for
// each tile of the round whether it is skipped, accumulated, or answered by lookups. Before the
// first round, distributes the tiles over the rounds.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/device/prune.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "gpu/kernels/or/round_tiles.hpp"
#include "gpu/kernels/or/tile_costs.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = kQueryThreads;
constexpr std::uint32_t kFewThreads = 128;

struct RankMemory {
  std::uint32_t largest;
  std::uint32_t buckets[kDigits];
};

/// Distributes a query's `tiles` over the rounds by their bounds, sorted into 256 buckets by
/// counting. `first` is the entry of its first tile in the tables. Where tiles are accumulated
/// anyway, pairs of neighbours go to the same round, so that they can be accumulated together. A
/// whole CTA; reads the bounds three times.
__device__ void rank_tiles(const OrRounds& batch, const Query& query, std::uint32_t first,
                           std::uint32_t tiles, RankMemory& memory) {
  const std::uint32_t* const bounds = batch.tile_bounds + first;
  const std::uint32_t together = query.flags & kAddsUpOnly ? batch.tile_room.tiles : 1;
  const std::uint32_t begin = threadIdx.x * together;
  const std::uint32_t step = blockDim.x * together;
  const auto bound_of = [&](std::uint32_t tile) {
    return max(bounds[tile], bounds[min(tile + together, tiles) - 1]);
  };
  if (threadIdx.x == 0) memory.largest = 0;
  for (std::uint32_t i = threadIdx.x; i < kDigits; i += blockDim.x) memory.buckets[i] = 0;
  __syncthreads();
  std::uint32_t mine = 0;
  for (std::uint32_t tile = begin; tile < tiles; tile += step) {
    mine = max(mine, bound_of(tile));
  }
  mine = warp_max(mine);
  if (lane_id() == 0) atomicMax(&memory.largest, mine);
  __syncthreads();
  const float to_bucket =
      static_cast<float>(kDigits - 1) / static_cast<float>(max(1U, memory.largest));
  const auto bucket_of = [&](std::uint32_t bound) {
    return kDigits - 1 -
           min(kDigits - 1, static_cast<std::uint32_t>(static_cast<float>(bound) * to_bucket));
  };
  for (std::uint32_t tile = begin; tile < tiles; tile += step) {
    atomicAdd(&memory.buckets[bucket_of(bound_of(tile))], together);
  }
  __syncthreads();
  if (warp_id() == 0) make_starts(memory.buckets);
  __syncthreads();
  for (std::uint32_t tile = begin; tile < tiles; tile += step) {
    const std::uint32_t place = atomicAdd(&memory.buckets[bucket_of(bound_of(tile))], together);
    std::uint32_t round = 0;
    while (place >= tiles_up_to(batch, tiles, round)) ++round;
    for (std::uint32_t each = tile; each < min(tile + together, tiles); ++each) {
      batch.tile_states[first + each] =
          bounds[each] == 0 ? kDoneTile : static_cast<std::uint8_t>(round);
    }
  }
}

/// Distributes a query's tiles, as rank_tiles(), but evenly over two rounds, so that all queries
/// take the same in the first. A whole CTA.
__device__ void spread_tiles(const OrRounds& batch, std::uint32_t first, std::uint32_t tiles) {
  const std::uint32_t step = max(tiles / tiles_up_to(batch, tiles, 0), 1U);
  for (std::uint32_t tile = threadIdx.x; tile < tiles; tile += blockDim.x) {
    const std::uint8_t round = tile % step == step / 2 ? 0 : 1;
    batch.tile_states[first + tile] = batch.tile_bounds[first + tile] == 0 ? kDoneTile : round;
  }
}

/// Leaves the lane's tile to add_stored or search_stored.
__device__ void append_stored(const OrRounds& batch, std::uint32_t query, std::uint32_t tile,
                              std::uint32_t round) {
  const std::uint32_t place = atomicAdd(&stored_counts_of(batch, round)[tile], 1);
  batch.stored_items[std::size_t{tile} * batch.or_queries + place] = query;
}

/// Decides how the tiles of a warp's lanes are answered. `bound` is that of the lane's tile; 0: the
/// round does not take it. Writes the states of the tiles and their bits of competitive_tiles.
/// Tiles that decoded lists answer are appended to those here. Returns whether the lane's tile is
/// to be accumulated by or_tiles. A whole warp.
__device__ bool decide(const OrRounds& batch, const Query& query, std::uint32_t tile,
                       std::uint32_t round, std::uint32_t bound, std::uint32_t need) {
  const bool skips = (query.flags & (kCount | kExhaustive)) == 0;
  const bool is_due = bound != 0;
  if (skips && bound < need) bound = 0;
  const bool searches = is_searched(batch, query, round);
  bool adds = (query.flags & kAddsUpOnly) != 0;
  bool is_stored = searches && bound != 0;
  TileCosts costs;
  if (!adds && !searches && __any_sync(kWholeWarp, bound != 0)) {
    costs = estimate_costs(batch, query, tile, bound, need);
    adds = (query.flags & kNoTiles) == 0 && costs.by_adding < costs.by_lookups;
    const bool may_be = (query.flags & kStored) != 0 && uses_store(batch, round);
    is_stored = may_be && bound != 0 && is_for_store(batch, query, costs);
  }
  if (is_stored) append_stored(batch, batch.lists[query.first_list].or_query, tile, round);
  adds = adds && bound != 0 && !is_stored;
  const bool is_looked_up = bound != 0 && !adds && !is_stored;
  if (is_due) {
    batch.tile_states[query.tile_row + tile] = adds           ? kAddedTile
                                               : is_stored    ? kStoredTile
                                               : is_looked_up ? kLookupTile | round
                                                              : kDoneTile;
  }
  if (searches) return false;  // nothing reads its competitive_tiles
  const std::uint32_t looked_up = __ballot_sync(kWholeWarp, is_looked_up);
  for (std::uint32_t i = lane_id(); i < query.scoring_lists; i += kWarp) {
    competitive_tiles_of(batch, query.first_list + i)[tile / kWarp] =
        (i < kWarp ? costs.low : costs.high) & looked_up;
  }
  return adds;
}

/// Appends the tiles to accumulate, one for each lane that `adds`, in ascending order. With
/// `in_pairs`, an even tile and the next one become one item. A whole warp.
__device__ void append_tiles(TileItem* items, TileCounters& counters, bool adds, bool in_pairs,
                             std::uint32_t query, std::uint32_t tile) {
  const std::uint32_t group = __ballot_sync(kWholeWarp, adds);
  if (group == 0) return;
  const std::uint32_t pairs = in_pairs ? group & group >> 1 & 0x55555555U : 0;
  const std::uint32_t starts = group & ~(pairs << 1);
  std::uint32_t first = 0;
  if (lane_id() == 0) first = atomicAdd(&counters.items, __popc(starts));
  first = __shfl_sync(kWholeWarp, first, 0);
  if ((starts >> lane_id() & 1) == 0) return;
  TileItem& item = items[first + __popc(starts & ((1U << lane_id()) - 1))];
  item.query = query;
  item.tile = tile;
  item.count = 1 + (pairs >> lane_id() & 1);
}

union RoundMemory {
  PruneMemory prune_memory;
  RankMemory ranking;
};

/// The first step of a round, for a query as a whole: before the first round distributes its tiles,
/// later raises its threshold. `first` and `tiles` are as for rank_tiles(). Returns whether OR runs
/// for the query. A whole CTA; ends with a barrier if so.
__device__ bool begin_query(const OrRounds& batch, const Query& query, std::uint32_t first,
                            std::uint32_t tiles, std::uint32_t round, RoundMemory& memory) {
  if (round == 0) {
    if (!or_is_wanted(batch, query)) return false;
    __syncthreads();  // all have read the state
    if (query.flags & kFallback) start_over(batch, query);
    if (shares_first_tiles(batch) && is_searched(batch, query, round)) {
      spread_tiles(batch, first, tiles);
    } else {
      rank_tiles(batch, query, first, tiles, memory.ranking);
    }
  } else {
    if (!or_has_run(query, batch.states[query.state])) return false;
    prune_candidates(batch, query, memory.prune_memory);
  }
  __syncthreads();
  return true;
}

/// Work item: a query in all segments, a CTA of 512 threads, or of 128 where queries are many and
/// tiles few. Launched before begin_round where there are several segments. Shared memory: 3 KiB.
/// Bound by reading the query's candidates or the bounds of its tiles.
__global__ void __launch_bounds__(kThreads) begin_queries(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ RoundMemory memory;
  const QueryTiles all = batch.query_tiles[blockIdx.x];
  const Query& query = batch.queries[batch.and_queries + all.query];
  begin_query(batch, query, all.begin, all.tiles, round, memory);
}

/// Work item: a query in a segment, a CTA of 512 threads; of 128 where queries are many and tiles
/// few, or of 32 where begin_queries went before and a segment has 32 tiles at most. Shared memory:
/// 3 KiB. Bound by the latency of reading a tile's bounds list by list.
__global__ void __launch_bounds__(kThreads) begin_round(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ RoundMemory memory;
  const std::uint32_t index = batch.and_queries + blockIdx.x;
  const Query& query = batch.queries[index];
  if (batch.query_tiles == nullptr) {
    const std::uint32_t tiles = query.end_tile - query.first_tile;
    const std::uint32_t first = query.tile_row + query.first_tile;
    if (!begin_query(batch, query, first, tiles, round, memory)) return;
  } else if (!or_has_run(query, batch.states[query.state])) {
    return;
  }
  const Threshold need(batch, query);
  // Items of later rounds follow those of the first; they are accumulated in one pass.
  TileItem* const items = batch.tile_items + (round == 0 ? 0 : batch.tile_passes[0].items);
  for (std::uint32_t begin = query.first_tile + warp_id() * kWarp; begin < query.end_tile;
       begin += blockDim.x) {
    const std::uint32_t tile = begin + lane_id();
    const std::uint32_t tile_threshold = need.at(tile * kTileDocuments);
    const std::uint32_t bound = due_bound(batch, query, tile, round);
    const bool adds = decide(batch, query, tile, round, bound, tile_threshold);
    const bool in_pairs = batch.tile_pieces == 1 && batch.tile_room.tiles > 1 && !batch.are_huge;
    append_tiles(items, batch.tile_passes[round == 0 ? 0 : 1], adds, in_pairs, index, tile);
  }
}

}  // namespace

void launch_begin_round(const OrRounds& batch, std::uint32_t round, cudaStream_t stream) {
  // A query of a small collection has little work: with many queries, smaller CTAs run more at
  // once.
  static const std::uint32_t at_once = resident_ctas(begin_round, kThreads, 0);
  const bool are_small = batch.max_tiles <= kFewThreads && batch.or_queries > at_once;
  std::uint32_t threads = are_small ? kFewThreads : kThreads;
  if (batch.query_tiles != nullptr) {
    launch("begin_queries", begin_queries, batch.query_tile_count, threads, 0, stream, batch,
           round);
    if (are_small && batch.max_tiles <= kWarp) threads = kWarp;
  }
  launch("begin_round", begin_round, batch.or_queries, threads, 0, stream, batch, round);
}

}  // namespace warpdex::gpu
