// Before OR: which blocks of each list a tile meets, and what a tile's documents can score at most.
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/launch.cuh"

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/emit.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
/// Of bound_tiles: as many as most queries have lists, or of few queries, more.
constexpr std::uint32_t kBoundThreads = 128;
constexpr std::uint32_t kMoreBoundThreads = 256;
constexpr std::uint32_t kAtOnce = 4;

/// Work item: blocks of a list, a CTA. Bound by reading 4 bytes a block.
__global__ void __launch_bounds__(kThreads) find_tile_blocks(Batch batch) {
  wait_for_previous();
  const Stretch stretch = batch.table_stretches[blockIdx.x];
  const List& list = batch.lists[stretch.owner];
  std::uint32_t* const row = batch.first_blocks + list.row;
  const std::uint32_t tiles = batch.tiles;
  const std::uint32_t end = min(stretch.first + batch.stretch_blocks, list.blocks);
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
  for (std::uint32_t begin = first; begin <= last; begin += kAtOnce) {
    uint2 several[kAtOnce];  // read before any is looked at
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) several[i] = bounds[min(begin + i, last)];
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      if (begin + i > last) break;
      best = max(best, bound_units(batch.form, list, query.scale, several[i]));
    }
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

/// Work item: 32 tiles of a query a CTA, a lane each; its warps share the lists out. Bound by the
/// latency of the few blocks that a thread looks at.
__global__ void __launch_bounds__(kMoreBoundThreads) bound_tiles(Batch batch) {
  wait_for_previous();
  __shared__ std::uint32_t bounds[kMostLists][kWarp];
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  if (!or_is_wanted(batch, query)) return;
  const std::uint32_t tile = blockIdx.y * kWarp + lane_id();
  const bool exists = tile < batch.tiles;
  const List* const lists = batch.lists + query.first_list;
  for (std::uint32_t i = warp_id(); i < query.scoring && exists; i += blockDim.x / kWarp) {
    bounds[i][lane_id()] = lists[i].flags & kRaw ? raw_tile_bound(query, lists[i], tile)
                                                 : tile_bound(batch, query, lists[i], tile);
  }
  __syncthreads();
  if (warp_id() != 0 || !exists) return;
  std::uint32_t rest = static_tile_bound(batch, query, tile);
  std::uint32_t total = 0;
  for (std::uint32_t i = query.scoring; i-- > 0;) {
    batch.rests[lists[i].row + tile] = rest;
    rest += bounds[i][lane_id()];
    total += bounds[i][lane_id()];
  }
  batch.tile_bounds[query.row + tile] = total == 0 ? 0 : rest;
}

}  // namespace

bool launches_may_overlap() {
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, bound_tiles), "cudaFuncGetAttributes");
  return attributes.ptxVersion >= 90;
}

void launch_find_tile_blocks(const Batch& batch, cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  launch("find_tile_blocks", find_tile_blocks, batch.table_stretch_count, kThreads, 0, stream,
         batch);
}

void launch_bound_tiles(const Batch& batch, cudaStream_t stream) {
  const std::uint32_t parts = (batch.tiles + kWarp - 1) / kWarp;
  const std::uint32_t threads =
      batch.stretch_blocks < kStretchBlocks ? kMoreBoundThreads : kBoundThreads;
  launch("bound_tiles", bound_tiles, dim3(batch.or_queries, parts), threads, 0, stream, batch);
}

}  // namespace warpdex::gpu
