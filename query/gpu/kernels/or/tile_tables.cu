// Before OR: finds the first block of each list in each tile, and the upper bound of each tile.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/indexer/format/index.hpp"

#include "gpu/device/lookup.cuh"
#include "gpu/device/prune.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Threads of a CTA of bound_tiles: a warp for each list of most queries; more if queries are few.
constexpr std::uint32_t kBoundThreads = 128;
constexpr std::uint32_t kMoreBoundThreads = 256;

/// Writes each lane's value to the tiles [from, to). A whole warp; long ranges are written by all
/// lanes together.
__device__ void fill(std::uint32_t* row, std::uint32_t from, std::uint32_t to,
                     std::uint32_t value) {
  constexpr std::uint32_t kMany = 8;
  const bool has_many = to >= from + kMany;
  for (std::uint32_t tile = from; tile < to && !has_many; ++tile) row[tile] = value;
  for (std::uint32_t left = __ballot_sync(kWholeWarp, has_many); left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t end = __shfl_sync(kWholeWarp, to, lane);
    const std::uint32_t shared = __shfl_sync(kWholeWarp, value, lane);
    for (std::uint32_t tile = __shfl_sync(kWholeWarp, from, lane) + lane_id(); tile < end;
         tile += kWarp) {
      row[tile] = shared;
    }
  }
}

static_assert(kRangeBlocks % kWarp == 0 && kShortRangeBlocks % kWarp == 0,
              "a lane past its range's end is not at the list's last block");

/// Work item: a block range of a list, for `range_threads` threads. A CTA has 256 threads, so it
/// takes several short ranges: with a CTA for each, most of the time would go to starting CTAs.
/// No shared memory. Bound by reading 4 bytes for each block.
__global__ void __launch_bounds__(kThreads) find_tile_blocks(OrTables batch) {
  wait_for_previous();
  const std::uint32_t sharing = batch.range_threads / kWarp;  // warps of a range
  const std::uint32_t warp = blockIdx.x * kWarps + warp_id();
  if (warp / sharing >= batch.table_range_count) return;
  const BlockRange range = batch.table_ranges[warp / sharing];
  const List& list = batch.lists[range.owner];
  const Query& query = batch.queries[batch.and_queries + list.or_query];
  std::uint32_t* const row = batch.first_blocks + list.tile_row;
  const std::uint32_t behind = query.end_tile + 1;
  const std::uint32_t end = range.first + range.blocks;
  for (std::uint32_t first = range.first + warp % sharing * kWarp; first < end;
       first += sharing * kWarp) {
    const std::uint32_t block = first + lane_id();
    std::uint32_t from = 0;  // the first tile whose first block is this one
    std::uint32_t to = 0;    // the first tile after those
    if (block < end) {
      from = block == 0 ? query.first_tile : (list.last_docids[block - 1] >> kTileShift) + 1;
      to = list.flags & kRaw ? behind : (list.last_docids[block] >> kTileShift) + 1;
    }
    fill(row, from, to, block);
    const bool is_last = block + 1 == list.blocks;
    fill(row, is_last ? to : 0, is_last ? behind : 0, list.blocks);
  }
}

/// Fills in `count` tiles from `first` on, and one more, for all lists of a query: the part of
/// find_tile_blocks that concerns them. A whole CTA; a lane searches for one tile of a list, since
/// the reads of a search wait for each other. O(log(blocks)).
__device__ void find_first_blocks(const OrTables& batch, const Query& query, std::uint32_t first,
                                  std::uint32_t count) {
  const List* const lists = batch.lists + query.first_list;
  const auto find = [&](const List& list, std::uint32_t tile) {
    std::uint32_t block = 0;
    if ((list.flags & kRaw) == 0) {
      block = lower_bound_by_parts<8>(list.last_docids, 0, list.blocks, tile * kTileDocuments);
    }
    batch.first_blocks[list.tile_row + tile] = block;
  };
  const std::uint32_t turns = query.list_count + (query.list_count + kWarp - 1) / kWarp;
  for (std::uint32_t turn = warp_id(); turn < turns; turn += blockDim.x / kWarp) {
    if (turn < query.list_count) {
      if (lane_id() < count) find(lists[turn], first + lane_id());
    } else {
      const std::uint32_t list = (turn - query.list_count) * kWarp + lane_id();
      if (list < query.list_count) find(lists[list], first + count);
    }
  }
}

/// Some tiles, and for each the most units that a posting of a list has there; 0: no posting. Whole
/// warps fill it in, list by list.
template <bool kExact>
struct TileBounds {
  std::uint32_t first;  ///< the first tile
  std::uint32_t count;  ///< tiles, kWarp at most
  std::uint32_t* bounds;

  static __device__ std::uint32_t units_of_bound(const Batch& batch, const Query& query,
                                                 const List& list, uint2 bound) {
    if constexpr (kExact) {
      return ExactUnits::bound(batch, query, list, bound);
    } else {
      return bound_units(batch, query, list, bound);
    }
  }

  /// For a list with stored range bounds.
  __device__ void add_ranges(const OrTables& batch, const Query& query, const List& list) const {
    if (lane_id() >= count) return;
    const uint2 bound = reinterpret_cast<const uint2*>(list.tile_score_bounds)[first + lane_id()];
    if (bound.x != 0) bounds[lane_id()] = units_of_bound(batch, query, list, bound);
  }

  /// For a list with bounds by block alone: reads part number `part` of `parts` of those blocks
  /// that meet the tiles.
  __device__ void add_blocks(const OrTables& batch, const Query& query, const List& list,
                             std::uint32_t part, std::uint32_t parts) const {
    const std::uint32_t* const row = batch.first_blocks + list.tile_row + first;
    const std::uint32_t end = min(row[count] + 1, list.blocks);
    for (std::uint32_t block = row[0] + part * kWarp + lane_id(); block < end;
         block += parts * kWarp) {
      const uint2 bound = reinterpret_cast<const uint2*>(list.bounds)[block];
      const std::uint32_t begin = block == 0 ? 0 : (list.last_docids[block - 1] + 1) >> kTileShift;
      const std::uint32_t high = min(list.last_docids[block] >> kTileShift, first + count - 1);
      const std::uint32_t units = units_of_bound(batch, query, list, bound);
      for (std::uint32_t tile = max(begin, first); tile <= high; ++tile) {
        atomicMax(&bounds[tile - first], units);
      }
    }
  }

  /// For a raw list, which has no stored bounds.
  __device__ void add_raw(const Query& query, const List& list) const {
    const auto* docids = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
    const std::uint32_t units = raw_bound_units(query, list);
    for (std::uint32_t i = lane_id(); i < list.size; i += kWarp) {
      const std::uint32_t tile = docids[i] >> kTileShift;
      if (tile >= first && tile < first + count) bounds[tile - first] = units;
    }
  }
};

/// Bounds the postings of `count` lists in some tiles. `bounds` are 0 before; those of a list are
/// TileBounds. A whole CTA.
template <bool kExact>
__device__ void bound_lists(const OrTables& batch, const Query& query, const List* lists,
                            std::uint32_t count, std::uint32_t first, std::uint32_t tile_count,
                            std::uint32_t (&bounds)[kMaxLists][kWarp]) {
  const std::uint32_t parts = max(blockDim.x / kWarp / count, 1U);
  for (std::uint32_t i = warp_id(); i < count * parts; i += blockDim.x / kWarp) {
    const List& list = lists[i / parts];
    const TileBounds<kExact> tiles{first, tile_count, bounds[i / parts]};
    if (list.tile_score_bounds == nullptr && (list.flags & kRaw) == 0) {
      tiles.add_blocks(batch, query, list, i % parts, parts);
    } else if (i % parts == 0) {
      if (list.flags & kRaw) {
        tiles.add_raw(query, list);
      } else {
        tiles.add_ranges(batch, query, list);
      }
    }
  }
}

/// Bounds the tiles of a query from `first` on, up to 32. A whole CTA. `bounds` is its shared
/// memory. `kExact`: units are exact scores.
template <bool kExact>
__device__ void bound_some(const OrTables& batch, const Query& query, std::uint32_t first,
                           std::uint32_t (&bounds)[kMaxLists][kWarp]) {
  const List* const lists = batch.lists + query.first_list;
  QueryState& state = batch.states[query.state];
  const bool is_at_once = batch.round_count == 0;
  const std::uint32_t count = min(kWarp, query.end_tile - first);
  const std::uint32_t tile = first + lane_id();
  const bool exists = tile < query.end_tile;
  for (std::uint32_t i = warp_id(); i < query.scoring_lists; i += blockDim.x / kWarp) {
    bounds[i][lane_id()] = 0;
  }
  if (is_at_once) find_first_blocks(batch, query, first, count);
  if (!or_is_wanted(batch, query)) return;
  __syncthreads();
  bound_lists<kExact>(batch, query, lists, query.scoring_lists, first, count, bounds);
  __syncthreads();
  if (is_at_once && (query.flags & kFallback) && first == query.first_tile) {
    start_over(batch, query);
  }
  if (warp_id() != 0) return;
  const std::uint32_t need = max(current_threshold(state), query.seed_threshold);
  std::uint32_t rest = exists ? static_tile_bound(batch, query, tile) : 0;
  std::uint32_t total = 0;
  for (std::uint32_t i = query.scoring_lists; i-- > 0;) {
    const std::uint32_t bound = bounds[i][lane_id()];
    if (exists) batch.suffix_bounds[lists[i].tile_row + tile] = rest;
    rest += bound;
    total += bound;
    if (!is_at_once) continue;
    const std::uint32_t wanted = __ballot_sync(kWholeWarp, bound != 0 && rest >= need);
    if (lane_id() == 0) competitive_tiles_of(batch, query.first_list + i)[first / kWarp] = wanted;
  }
  if (total == 0) rest = 0;
  if (exists) batch.tile_bounds[query.tile_row + tile] = rest;
  if (!is_at_once) return;
  const std::uint32_t highest = warp_max(rest);
  if (lane_id() != 0) return;
  atomicMax(&state.max_tile_bound, highest);
  state.start_threshold = need;  // all CTAs write the same
}

/// Work item: 32 tiles of a query, for a CTA of 128 or 256 threads. If queries differ in their
/// numbers of tiles, a CTA may take several items. Its warps share the lists and their blocks. For
/// OR by bound, it also does the work of find_tile_blocks and marks the competitive tiles.
/// Shared memory: 8 KiB. Bound by the latency of reading a few blocks' bounds.
template <bool kExact>
__global__ void __launch_bounds__(kMoreBoundThreads) bound_tiles(OrTables batch) {
  wait_for_previous();
  __shared__ std::uint32_t bounds[kMaxLists][kWarp];
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  std::uint32_t first = query.first_tile + blockIdx.y * kWarp;
  while (first < query.end_tile) {
    bound_some<kExact>(batch, query, first, bounds);
    first += gridDim.y * kWarp;
    if (first < query.end_tile) __syncthreads();  // the bounds are written again
  }
}

/// The same for the tiles of a huge query: its lists are taken in groups, the last ones first.
template <bool kExact>
__device__ void bound_some_of_huge(const OrTables& batch, const Query& query, std::uint32_t first,
                                   std::uint32_t (&bounds)[kMaxLists][kWarp]) {
  const List* const lists = batch.lists + query.first_list;
  const std::uint32_t tile = first + lane_id();
  const bool exists = tile < query.end_tile;
  std::uint32_t rest = exists ? static_tile_bound(batch, query, tile) : 0;  // in the first warp
  std::uint32_t total = 0;
  for (std::uint32_t end = query.scoring_lists; end > 0;) {
    const std::uint32_t begin = (end - 1) / kMaxLists * kMaxLists;
    for (std::uint32_t i = warp_id(); i < end - begin; i += blockDim.x / kWarp) {
      bounds[i][lane_id()] = 0;
    }
    __syncthreads();
    bound_lists<kExact>(batch, query, lists + begin, end - begin, first,
                        min(kWarp, query.end_tile - first), bounds);
    __syncthreads();
    for (std::uint32_t i = end; i-- > begin && warp_id() == 0;) {
      if (exists) batch.suffix_bounds[lists[i].tile_row + tile] = rest;
      rest += bounds[i - begin][lane_id()];
      total += bounds[i - begin][lane_id()];
    }
    __syncthreads();
    end = begin;
  }
  if (warp_id() != 0 || !exists) return;
  batch.tile_bounds[query.tile_row + tile] = total == 0 ? 0 : rest;
}

/// As bound_tiles, where queries are huge. They have rounds, so it does no other work.
template <bool kExact>
__global__ void __launch_bounds__(kMoreBoundThreads) bound_huge(OrTables batch) {
  wait_for_previous();
  __shared__ std::uint32_t bounds[kMaxLists][kWarp];
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  if (!or_is_wanted(batch, query)) return;
  for (std::uint32_t first = query.first_tile + blockIdx.y * kWarp; first < query.end_tile;
       first += gridDim.y * kWarp) {
    bound_some_of_huge<kExact>(batch, query, first, bounds);
  }
}

}  // namespace

void launch_find_tile_blocks(const OrTables& batch, cudaStream_t stream) {
  if (batch.table_range_count == 0) return;
  const std::uint32_t warps = batch.table_range_count * (batch.range_threads / kWarp);
  launch("find_tile_blocks", find_tile_blocks, (warps + kWarps - 1) / kWarps, kThreads, 0, stream,
         batch);
}

void launch_bound_tiles(const OrTables& batch, cudaStream_t stream) {
  // CTAs for each query: the average number of parts of 32 tiles.
  const std::uint32_t average = (batch.tile_count + batch.or_queries - 1) / batch.or_queries;
  const std::uint32_t parts = std::max((average + kWarp - 1) / kWarp, 1U);
  constexpr std::uint32_t kManyQueries = 4096;
  const bool are_few = batch.range_blocks < kRangeBlocks && batch.or_queries < kManyQueries;
  const std::uint32_t threads = are_few ? kMoreBoundThreads : kBoundThreads;
  const dim3 ctas(batch.or_queries, parts);
  // Exact units have an instance of their own, since they take more registers.
  const bool are_exact = batch.form == ExactUnits::kForm;
  auto kernel = are_exact ? bound_tiles<true> : bound_tiles<false>;
  if (batch.are_huge) kernel = are_exact ? bound_huge<true> : bound_huge<false>;
  launch("bound_tiles", kernel, ctas, threads, 0, stream, batch);
}

}  // namespace warpdex::gpu
