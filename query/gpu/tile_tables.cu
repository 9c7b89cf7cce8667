// Before OR: which blocks of each list a tile meets, what a tile's documents can score at most, and
// in which order a query's tiles are to be taken.
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/gpu/kernels.cuh"

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/list_reader.cuh"
#include "warpdex/query/gpu/score.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kOrderThreads = 512;
constexpr std::uint32_t kBuckets = 256;

/// Whether OR has something to do for a query: not where AND was to come first and found enough.
__device__ bool or_is_wanted(const Batch& batch, const Query& query) {
  return !(query.flags & kFallback) || batch.states[query.state].matches < query.least;
}

/// Work item: kStretchBlocks blocks of a list a CTA. Bound by reading 4 bytes a block.
__global__ void __launch_bounds__(kThreads) find_tile_blocks(Batch batch) {
  const Stretch stretch = batch.table_stretches[blockIdx.x];
  const List& list = batch.lists[stretch.owner];
  std::uint32_t* const row = batch.first_blocks + list.row;
  const std::uint32_t tiles = (batch.documents + kTileDocuments - 1) / kTileDocuments;
  const std::uint32_t end = min(stretch.first + kStretchBlocks, list.blocks);
  for (std::uint32_t block = stretch.first + threadIdx.x; block < end; block += kThreads) {
    const std::uint32_t last = list.last_docids[block];
    const std::uint32_t from = block == 0 ? 0 : (list.last_docids[block - 1] >> kTileShift) + 1;
    const std::uint32_t to = list.flags & kRaw ? tiles : last >> kTileShift;
    for (std::uint32_t tile = from; tile <= to; ++tile) row[tile] = block;
    if (block + 1 < list.blocks) continue;
    for (std::uint32_t tile = to + 1; tile <= tiles; ++tile) row[tile] = list.blocks;
  }
}

/// The units that no posting of the list has more of in the tile; 0: there is none.
__device__ std::uint32_t tile_bound(const Batch& batch, const Query& query, const List& list,
                                    std::uint32_t tile) {
  const auto* bounds = reinterpret_cast<const uint2*>(list.bounds);
  if (list.range_bounds != nullptr) {
    const uint2 bound = reinterpret_cast<const uint2*>(list.range_bounds)[tile];
    return bound.x == 0 ? 0 : bound_units(batch.form, list, query.scale, bound);
  }
  const std::uint32_t first = batch.first_blocks[list.row + tile];
  if (first >= list.blocks) return 0;
  const std::uint32_t last = min(batch.first_blocks[list.row + tile + 1], list.blocks - 1);
  std::uint32_t best = 0;
  for (std::uint32_t block = first; block <= last; ++block) {
    best = max(best, bound_units(batch.form, list, query.scale, bounds[block]));
  }
  return best;
}

/// Raw lists have no table of blocks that tells tiles apart: each posting marks its own.
__device__ void bound_raw_list(const Batch& batch, const Query& query, const List& list) {
  std::uint32_t* const row = batch.upper_bounds + list.row;
  for (std::uint32_t tile = threadIdx.x; tile < query.tiles; tile += kOrderThreads) row[tile] = 0;
  __syncthreads();
  const auto* docids = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
  for (std::uint32_t i = threadIdx.x; i < list.size; i += kOrderThreads) {
    row[docids[i] >> kTileShift] =
        static_cast<std::uint32_t>(list.bound * query.scale * 1.00001F) + 2;
  }
  __syncthreads();
}

__device__ std::uint32_t static_tile_bound(const Batch& batch, const Query& query,
                                           std::uint32_t tile) {
  if (batch.static_bounds == nullptr) return 0;
  constexpr std::uint32_t kWindows = kTileDocuments / kStaticWindow;
  const std::uint32_t windows = (batch.documents + kStaticWindow - 1) / kStaticWindow;
  float best = 0;
  for (std::uint32_t i = tile * kWindows; i < min((tile + 1) * kWindows, windows); ++i) {
    best = fmaxf(best, batch.static_bounds[i]);
  }
  return static_cast<std::uint32_t>(ceilf(best * query.static_scale));
}

/// Turns counts into where each bucket starts. One warp.
__device__ void make_starts(std::uint32_t* buckets) {
  std::uint32_t before = 0;
  for (std::uint32_t i = lane_id(); i < kBuckets; i += kWarp) {
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

/// Work item: a query a CTA. Starts its threshold, bounds its tiles, and orders them by bound, by
/// counting in 256 buckets. Bound by the latency of the few blocks that a thread bounds.
__global__ void __launch_bounds__(kOrderThreads) order_tiles(Batch batch) {
  __shared__ std::uint32_t largest;
  __shared__ std::uint32_t buckets[kBuckets];
  const Query query = batch.queries[batch.and_queries + blockIdx.x];
  QueryState& state = batch.states[query.state];
  std::uint32_t* const bounds = batch.tile_bounds + query.order;
  std::uint32_t* const order = batch.tile_order + query.order;
  const bool wanted = or_is_wanted(batch, query);
  if (threadIdx.x == 0) largest = 0;
  if (threadIdx.x < kBuckets) buckets[threadIdx.x] = 0;
  __syncthreads();  // all have read the state, too
  if (!wanted) {
    for (std::uint32_t i = threadIdx.x; i < query.tiles; i += kOrderThreads) {
      bounds[i] = 0;
      order[i] = i;
    }
    return;
  }
  if (query.flags & kFallback) {  // what AND left is of no use
    std::uint32_t* const bins = batch.histograms + std::size_t{query.state} * kBins;
    for (std::uint32_t i = threadIdx.x; i < kBins; i += kOrderThreads) bins[i] = 0;
  }
  if (threadIdx.x == 0) {
    if (query.flags & kFallback) {
      state.candidates = 0;
      state.matches = 0;
      state.fell_back = 1;
    }
    state.threshold = query.seed;
  }
  const List* const lists = batch.lists + query.first_list;
  for (std::uint32_t i = 0; i < query.scoring; ++i) {
    if (lists[i].flags & kRaw) bound_raw_list(batch, query, lists[i]);
  }
  for (std::uint32_t tile = threadIdx.x; tile < query.tiles; tile += kOrderThreads) {
    std::uint32_t total = 0;
    for (std::uint32_t i = 0; i < query.scoring; ++i) {
      std::uint32_t& bound = batch.upper_bounds[lists[i].row + tile];
      if (!(lists[i].flags & kRaw)) bound = tile_bound(batch, query, lists[i], tile);
      total += bound;
    }
    if (total > 0) total += static_tile_bound(batch, query, tile);
    bounds[tile] = total;
    atomicMax(&largest, total);
  }
  __syncthreads();
  const float to_bucket = static_cast<float>(kBuckets - 1) / static_cast<float>(max(1U, largest));
  const auto bucket_of = [&](std::uint32_t tile) {
    return kBuckets - 1 -
           min(kBuckets - 1, static_cast<std::uint32_t>(static_cast<float>(bounds[tile]) * to_bucket));
  };
  for (std::uint32_t tile = threadIdx.x; tile < query.tiles; tile += kOrderThreads) {
    atomicAdd(&buckets[bucket_of(tile)], 1);
  }
  __syncthreads();
  if (warp_id() == 0) make_starts(buckets);
  __syncthreads();
  for (std::uint32_t tile = threadIdx.x; tile < query.tiles; tile += kOrderThreads) {
    order[atomicAdd(&buckets[bucket_of(tile)], 1)] = tile;
  }
}

}  // namespace

void launch_find_tile_blocks(const Batch& batch, cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  find_tile_blocks<<<batch.table_stretch_count, kThreads, 0, stream>>>(batch);
  check_launch("find_tile_blocks");
}

void launch_order_tiles(const Batch& batch, cudaStream_t stream) {
  order_tiles<<<batch.or_queries, kOrderThreads, 0, stream>>>(batch);
  check_launch("order_tiles");
}

}  // namespace warpdex::gpu
