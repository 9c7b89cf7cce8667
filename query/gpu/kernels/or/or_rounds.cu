// Before each round of OR: the queries' thresholds rise to what was found, and for each tile of the
// round it is decided whether it is hopeless, added up, or left to lookups. Before the first, tiles
// are shared out to the rounds.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/device/settle.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = kQueryThreads;
constexpr std::uint32_t kFewThreads = 128;

// What the two ways to do a tile cost, about: in instructions of a warp, but for adding up, which
// takes about half as many. With costs so low, k = 1000 took a fifth longer over gov2.
constexpr float kAddBlock = 300;       // to decode a block and add it up
constexpr float kTile = 10'000;        // to empty and to search a tile's accumulators
constexpr float kLookUpBlock = 450;    // to decode a block and find what is worth looking up
constexpr float kLookUpDocument = 20;  // in one more list or two: most miss there

/// Turns counts into where each bucket starts. One warp.
__device__ void make_starts(std::uint32_t* buckets) {
  std::uint32_t before = 0;
  for (std::uint32_t i = lane_id(); i < kDigits; i += kWarp) {
    const std::uint32_t count = buckets[i];
    std::uint32_t sum = count;
    for (std::uint32_t step = 1; step < kWarp; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
      if (lane_id() >= step) sum += other;
    }
    buckets[i] = before + sum - count;
    before += __shfl_sync(kWholeWarp, sum, kWarp - 1);
  }
}

/// The first tiles of a query's order that are done in the rounds up to `round`: few, to learn what
/// the answer's scores are, more where it takes more documents to know; then many.
__device__ std::uint32_t tiles_up_to(const Batch& batch, std::uint32_t round) {
  constexpr std::uint32_t kFewAnswers = 64;
  if (round + 1 >= batch.round_count) return batch.tiles;
  if (batch.round_count == 2) return batch.tiles / (batch.k < kFewAnswers ? 48 : 20) + 2;
  return round == 0 ? batch.tiles / 128 + 2 : batch.tiles / 12 + 4;
}

struct Ranking {
  std::uint32_t largest;
  std::uint32_t buckets[kDigits];
};

/// Shares a query's tiles out to the rounds, by their bounds: by counting in 256 buckets. Tiles
/// that are added up anyhow are ranked by twos, so that neighbours are in the same round and can be
/// added up together. A whole CTA; reads the bounds three times.
__device__ void rank_tiles(const Batch& batch, const Query& query, Ranking& memory) {
  const std::uint32_t* const bounds = batch.tile_bounds + query.row;
  const std::uint32_t together = query.flags & kAddsUpOnly ? kMostTogether : 1;
  const std::uint32_t begin = threadIdx.x * together;
  const std::uint32_t step = blockDim.x * together;
  const auto bound_of = [&](std::uint32_t tile) {
    return max(bounds[tile], bounds[min(tile + together, batch.tiles) - 1]);
  };
  if (threadIdx.x == 0) memory.largest = 0;
  for (std::uint32_t i = threadIdx.x; i < kDigits; i += blockDim.x) memory.buckets[i] = 0;
  __syncthreads();
  std::uint32_t mine = 0;
  for (std::uint32_t tile = begin; tile < batch.tiles; tile += step) {
    mine = max(mine, bound_of(tile));
  }
  mine = __reduce_max_sync(kWholeWarp, mine);
  if (lane_id() == 0) atomicMax(&memory.largest, mine);
  __syncthreads();
  const float to_bucket =
      static_cast<float>(kDigits - 1) / static_cast<float>(max(1U, memory.largest));
  const auto bucket_of = [&](std::uint32_t bound) {
    return kDigits - 1 -
           min(kDigits - 1, static_cast<std::uint32_t>(static_cast<float>(bound) * to_bucket));
  };
  for (std::uint32_t tile = begin; tile < batch.tiles; tile += step) {
    atomicAdd(&memory.buckets[bucket_of(bound_of(tile))], together);
  }
  __syncthreads();
  if (warp_id() == 0) make_starts(memory.buckets);
  __syncthreads();
  for (std::uint32_t tile = begin; tile < batch.tiles; tile += step) {
    const std::uint32_t place = atomicAdd(&memory.buckets[bucket_of(bound_of(tile))], together);
    std::uint32_t round = 0;
    while (place >= tiles_up_to(batch, round)) ++round;
    for (std::uint32_t each = tile; each < min(tile + together, batch.tiles); ++each) {
      batch.tile_states[query.row + each] =
          bounds[each] == 0 ? kDoneTile : static_cast<std::uint8_t>(round);
    }
  }
}

/// What is found out about the tiles of a warp's lanes in one pass over the query's lists.
struct TilePlan {
  float by_adding = kTile;  ///< what the lane's tile costs, about, if it is added up whole
  float by_lookups = 0;     ///< and if it is looked up
  std::uint32_t low = 0;    ///< of the list numbered like the lane, a bit a tile: the list may be
  std::uint32_t high = 0;   ///< the first of a document of the answer; and of that 32 further
};
static_assert(kMostLists == 2 * kWarp);

/// Makes the plan of tiles with these bounds; 0: the lane's is not to be done. A whole warp. Bound
/// by the latency of reading tables: those of kListsAtOnce lists are read side by side.
__device__ TilePlan plan_tiles(const Batch& batch, const Query& query, std::uint32_t tile,
                               std::uint32_t bound, std::uint32_t need) {
  constexpr std::uint32_t kListsAtOnce = 4;
  const List* const lists = batch.lists + query.first_list;
  TilePlan plan;
  std::uint32_t rest = bound;
  for (std::uint32_t begin = 0; begin < query.scoring; begin += kListsAtOnce) {
    std::uint32_t rests[kListsAtOnce];
    std::uint32_t blocks[kListsAtOnce];
#pragma unroll
    for (std::uint32_t j = 0; j < kListsAtOnce; ++j) {
      rests[j] = blocks[j] = 0;
      if (bound == 0 || begin + j >= query.scoring) continue;
      const List& list = lists[begin + j];
      const std::uint32_t row = list.row + tile;
      rests[j] = batch.rests[row];
      blocks[j] = 1;
      if ((list.flags & kRaw) == 0) {
        blocks[j] += batch.first_blocks[row + 1] - batch.first_blocks[row];
      }
    }
#pragma unroll
    for (std::uint32_t j = 0; j < kListsAtOnce; ++j) {
      const std::uint32_t i = begin + j;
      if (i >= query.scoring) break;
      const std::uint32_t before = rest;
      rest = rests[j];
      const bool has_postings = rest < before;
      const bool decides = has_postings && before >= need;
      const std::uint32_t group = __ballot_sync(kWholeWarp, decides);
      if (lane_id() == i) plan.low = group;
      if (lane_id() + kWarp == i) plan.high = group;
      if (has_postings) plan.by_adding += static_cast<float>(blocks[j]) * kAddBlock;
      if (!decides) continue;
      // As if scores were spread evenly up to the bound, and then some fewer are high.
      const float share =
          min(1.F, static_cast<float>(before - need + 1) / static_cast<float>(before - rest));
      plan.by_lookups += static_cast<float>(blocks[j]) *
                         (kLookUpBlock + share * share * kBlockSize * kLookUpDocument);
    }
  }
  return plan;
}

/// Decides what is to be done with a warp's 32 tiles, of which those with a bound are due, and
/// says so in their states and in each list's bits of tiles. Returns whether the lane's is to be
/// added up. A whole warp.
__device__ bool decide(const Batch& batch, const Query& query, std::uint32_t tile,
                       std::uint32_t round, std::uint32_t bound, std::uint32_t need) {
  const bool skips = (query.flags & (kCount | kExhaustive)) == 0;
  const bool is_due = bound != 0;
  if (skips && bound < need) bound = 0;
  bool adds = (query.flags & kAddsUpOnly) != 0;
  TilePlan plan;
  if (!adds && __any_sync(kWholeWarp, bound != 0)) {
    plan = plan_tiles(batch, query, tile, bound, need);
    adds = (query.flags & kNoTiles) == 0 && plan.by_adding < plan.by_lookups;
  }
  adds = adds && bound != 0;
  const bool is_looked_up = bound != 0 && !adds;
  if (is_due) {
    batch.tile_states[query.row + tile] = adds           ? static_cast<std::uint8_t>(kAddedTile)
                                          : is_looked_up ? kLookupTile | round
                                                         : kDoneTile;
  }
  const std::uint32_t looked_up = __ballot_sync(kWholeWarp, is_looked_up);
  for (std::uint32_t i = lane_id(); i < query.scoring; i += kWarp) {
    wanted_tiles_of(batch, query.first_list + i)[tile / kWarp] =
        (i < kWarp ? plan.low : plan.high) & looked_up;
  }
  return adds;
}

/// Lists tiles to be added up, one a lane where `adds`, ascending; an even one and its neighbour
/// together. A whole warp.
__device__ void append_tiles(TileItem* items, TileCounters& counters, bool adds,
                             std::uint32_t query, std::uint32_t tile) {
  const std::uint32_t group = __ballot_sync(kWholeWarp, adds);
  if (group == 0) return;
  const std::uint32_t pairs = group & group >> 1 & 0x55555555U;
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

/// The bound of a tile that is to be taken in the round; else 0.
__device__ std::uint32_t due_bound(const Batch& batch, const Query& query, std::uint32_t tile,
                                   std::uint32_t round) {
  if (tile >= batch.tiles || batch.tile_states[query.row + tile] != round) return 0;
  return batch.tile_bounds[query.row + tile];
}

/// Work item: a query a CTA. Bound by the latency of reading a tile's bounds list by list.
__global__ void __launch_bounds__(kThreads) begin_round(Batch batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ union {
    Settling settling;
    Ranking ranking;
  } memory;
  const std::uint32_t index = batch.and_queries + blockIdx.x;
  const Query& query = batch.queries[index];
  if (round == 0) {
    if (!or_is_wanted(batch, query)) return;
    __syncthreads();  // all have read the state
    if (query.flags & kFallback) start_over(batch, query);
    rank_tiles(batch, query, memory.ranking);
  } else {
    if (!or_has_run(query, batch.states[query.state])) return;
    settle(batch, query, memory.settling);
  }
  __syncthreads();
  const Need need(batch, query);
  // Tiles of all rounds but the first are added up together, behind those of the first.
  TileItem* const items = batch.tile_items + (round == 0 ? 0 : batch.tile_passes[0].items);
  for (std::uint32_t begin = warp_id() * kWarp; begin < batch.tiles; begin += blockDim.x) {
    const std::uint32_t tile = begin + lane_id();
    const std::uint32_t least = need.of(tile * kTileDocuments);
    const std::uint32_t bound = due_bound(batch, query, tile, round);
    const bool adds = decide(batch, query, tile, round, bound, least);
    append_tiles(items, batch.tile_passes[round == 0 ? 0 : 1], adds, index, tile);
  }
}

}  // namespace

void launch_begin_round(const Batch& batch, std::uint32_t round, cudaStream_t stream) {
  // Of a small collection, a query has little to do: if there are many, more are done at a time.
  static const std::uint32_t at_once = resident_ctas(begin_round, kThreads, 0);
  const bool are_small = batch.tiles <= kFewThreads && batch.or_queries > at_once;
  const std::uint32_t threads = are_small ? kFewThreads : kThreads;
  launch("begin_round", begin_round, batch.or_queries, threads, 0, stream, batch, round);
}

}  // namespace warpdex::gpu
