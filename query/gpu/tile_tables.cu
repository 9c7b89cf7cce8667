// Before OR: which blocks of each list a tile meets, what a tile's documents can score at most, and
// in which order a query's tiles are to be taken.
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/gpu/kernels.cuh"

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/emit.cuh"

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
  const std::uint32_t tiles = batch.regions * kRegionTiles;
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
  if (tile * kTileDocuments >= batch.documents) return 0;  // of the last region
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

/// Likewise of a raw list, which has no table of blocks that tells tiles apart.
__device__ std::uint32_t raw_tile_bound(const Query& query, const List& list, std::uint32_t tile) {
  const auto* docids = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
  const std::uint32_t place = lower_bound(docids, list.size, tile * kTileDocuments);
  if (place == list.size || docids[place] / kTileDocuments != tile) return 0;
  return static_cast<std::uint32_t>(list.bound * query.scale * 1.00001F) + 2;
}

/// The largest bound of a region's tiles, which are those of neighbouring lanes.
__device__ std::uint32_t largest_of_region(std::uint32_t bound) {
#pragma unroll
  for (std::uint32_t step = 1; step < kRegionTiles; step *= 2) {
    bound = max(bound, __shfl_xor_sync(kWholeWarp, bound, step));
  }
  return bound;
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

/// Work item: a query's tiles, kThreads a CTA. Bounds each by each list, and each region by all.
/// Bound by the latency of the few blocks that a thread looks at.
__global__ void __launch_bounds__(kThreads) bound_tiles(Batch batch) {
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  const std::uint32_t tile = blockIdx.y * kThreads + threadIdx.x;
  const bool exists = tile < query.regions * kRegionTiles;
  std::uint32_t total = 0;
  if (or_is_wanted(batch, query)) {
    const List* const lists = batch.lists + query.first_list;
    for (std::uint32_t i = 0; i < query.scoring; ++i) {
      const List& list = lists[i];
      std::uint32_t bound = 0;
      if (exists) {
        bound = list.flags & kRaw ? raw_tile_bound(query, list, tile)
                                  : tile_bound(batch, query, list, tile);
        batch.upper_bounds[list.row + tile] = bound;
      }
      total += largest_of_region(bound);
    }
    if (total > 0) {
      total += largest_of_region(exists ? static_tile_bound(batch, query, tile) : 0);
    }
  }
  if (exists && tile % kRegionTiles == 0) {
    batch.region_bounds[query.order + tile / kRegionTiles] = total;
  }
}

/// Work item: a query a CTA. Starts its threshold, and orders its regions by bound, by counting in
/// 256 buckets. Bound by reading the bounds three times.
__global__ void __launch_bounds__(kOrderThreads) order_tiles(Batch batch) {
  __shared__ std::uint32_t largest;
  __shared__ std::uint32_t buckets[kBuckets];
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  QueryState& state = batch.states[query.state];
  const std::uint32_t* const bounds = batch.region_bounds + query.order;
  std::uint32_t* const order = batch.region_order + query.order;
  const bool wanted = or_is_wanted(batch, query);
  if (threadIdx.x == 0) largest = 0;
  if (threadIdx.x < kBuckets) buckets[threadIdx.x] = 0;
  __syncthreads();                            // all have read the state, too
  if (wanted && (query.flags & kFallback)) {  // what AND left is of no use
    std::uint32_t* const bins = batch.histograms + std::size_t{query.state} * kBins;
    for (std::uint32_t i = threadIdx.x; i < kBins; i += kOrderThreads) bins[i] = 0;
  }
  if (threadIdx.x == 0 && wanted) {
    if (query.flags & kFallback) {
      state.candidates = 0;
      state.matches = 0;
      state.fell_back = 1;
    }
    state.threshold = query.seed;
  }
  std::uint32_t mine = 0;
  for (std::uint32_t region = threadIdx.x; region < query.regions; region += kOrderThreads) {
    mine = max(mine, bounds[region]);
  }
  mine = __reduce_max_sync(kWholeWarp, mine);
  if (lane_id() == 0) atomicMax(&largest, mine);
  __syncthreads();
  const float to_bucket = static_cast<float>(kBuckets - 1) / static_cast<float>(max(1U, largest));
  const auto bucket_of = [&](std::uint32_t region) {
    return kBuckets - 1 -
           min(kBuckets - 1,
               static_cast<std::uint32_t>(static_cast<float>(bounds[region]) * to_bucket));
  };
  for (std::uint32_t region = threadIdx.x; region < query.regions; region += kOrderThreads) {
    atomicAdd(&buckets[bucket_of(region)], 1);
  }
  __syncthreads();
  if (warp_id() == 0) make_starts(buckets);
  __syncthreads();
  for (std::uint32_t region = threadIdx.x; region < query.regions; region += kOrderThreads) {
    order[atomicAdd(&buckets[bucket_of(region)], 1)] = region;
  }
}

}  // namespace

void launch_find_tile_blocks(const Batch& batch, cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  find_tile_blocks<<<batch.table_stretch_count, kThreads, 0, stream>>>(batch);
  check_launch("find_tile_blocks");
}

void launch_order_tiles(const Batch& batch, cudaStream_t stream) {
  const std::uint32_t parts = (batch.regions * kRegionTiles + kThreads - 1) / kThreads;
  bound_tiles<<<dim3(batch.or_queries, parts), kThreads, 0, stream>>>(batch);
  check_launch("bound_tiles");
  order_tiles<<<batch.or_queries, kOrderThreads, 0, stream>>>(batch);
  check_launch("order_tiles");
}

}  // namespace warpdex::gpu
