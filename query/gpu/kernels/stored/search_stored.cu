// OR by lookups in lists that were decoded once for all queries of a batch, tile by tile: a CTA
// keeps bit sets of the longest lists in shared memory while it searches a tile for many queries.
// BM25 only.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/round_tiles.hpp"
#include "gpu/kernels/or/tile_costs.cuh"
#include "gpu/kernels/stored/stored_searcher.cuh"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 768;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::size_t kMemories = kWarps * sizeof(SearchMemory);
/// Queries of a CTA, at most. With more, few CTAs would be at work in the end; with fewer, making
/// the bit sets would take a larger share. In the first round, each query has few tiles.
constexpr std::uint32_t kItems = 2048;
constexpr std::uint32_t kFirstItems = 4096;
static_assert(std::max(kItems, kFirstItems) < FoundQueue::kMaxQueries);
static_assert(std::max(kItems, kFirstItems) + QueryShare::kBehind * kWarps <=
              QueryShare::kMaxNumber);
/// CTAs that a multiprocessor takes in turn, at least, as long as each warp has so many queries.
constexpr std::uint32_t kTurns = 8;
constexpr std::uint32_t kFewItems = 8 * kWarps;
/// The same in the first round where few tiles have all the work: the CTAs of the others end at
/// once, but must be started.
constexpr std::uint32_t kFirstTurns = 2;

/// How the work is cut.
struct SearchShares {
  std::uint32_t ctas;    ///< that share the queries of a tile
  std::uint32_t marked;  ///< lists that are marked
};

/// Work item: a share of the queries of a tile, a CTA of 768 threads; a query a warp. Shared
/// memory: 6 KiB a warp, and 2 KiB for each marked list, all that there is. Bound by instructions,
/// some 1,200 of a warp for a query, and by waiting for reads, as there are few warps.
__global__ void __launch_bounds__(kThreads, 1)
    search_stored(OrRounds batch, std::uint32_t round, SearchShares shares) {
  wait_for_previous();
  extern __shared__ __align__(16) unsigned char bytes[];
  const std::uint32_t tile = blockIdx.x / shares.ctas;
  const std::uint32_t share = blockIdx.x % shares.ctas;
  const std::uint32_t count = stored_counts_of(batch, round)[tile];
  const auto begin = static_cast<std::uint32_t>(std::uint64_t{count} * share / shares.ctas);
  const auto end = static_cast<std::uint32_t>(std::uint64_t{count} * (share + 1) / shares.ctas);
  if (begin == end) return;
  __shared__ std::uint32_t next;
  if (threadIdx.x == 0) next = QueryShare::dealt(end - begin);
  auto* const memories = reinterpret_cast<SearchMemory*>(bytes);
  const MarkedLists marked{reinterpret_cast<std::uint32_t*>(memories + kWarps), shares.marked};
  marked.mark(batch, tile);
  const std::uint32_t* const queries =
      batch.stored_items + std::size_t{tile} * batch.or_queries + begin;
  StoredSearcher(batch, tile, queries, marked, memories[warp_id()])
      .run(QueryShare(end - begin, &next));
}

/// Lists that there is room to mark, once the kernel may take all shared memory.
std::uint32_t room_for_marked() {
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(search_stored)),
             "cudaFuncGetAttributes");
  const auto bytes = static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes);
  return static_cast<std::uint32_t>((bytes - kMemories) / kMarkBytes);
}

std::uint32_t ctas_of_tile(const OrRounds& batch, std::uint32_t round) {
  static const std::uint32_t at_once = resident_ctas(search_stored, kThreads, kMemories);
  const std::uint32_t items = round == 0 ? kFirstItems : kItems;
  const std::uint32_t ctas = (batch.or_queries + items - 1) / items;
  const bool are_shared = round == 0 && shares_first_tiles(batch);
  const std::uint32_t tiles = are_shared ? tiles_up_to(batch, batch.tiles, round) : batch.tiles;
  const std::uint32_t wanted = ((are_shared ? kFirstTurns : kTurns) * at_once + tiles - 1) / tiles;
  return std::max(ctas, std::min(wanted, batch.or_queries / kFewItems));
}

}  // namespace

bool can_search_stored() {
  return current_chip().shared_memory_of_block >= kMemories + sizeof(std::uint32_t) + kMarkBytes;
}

void launch_search_stored(const OrRounds& batch, std::uint32_t round, cudaStream_t stream) {
  allow_all_shared_memory(reinterpret_cast<const void*>(search_stored));
  static const std::uint32_t room = room_for_marked();
  const SearchShares shares{ctas_of_tile(batch, round), std::min(room, batch.stored_marked_count)};
  launch("search_stored", search_stored, batch.tiles * shares.ctas, kThreads,
         kMemories + shares.marked * std::size_t{kMarkBytes}, stream, batch, round, shares);
}

}  // namespace warpdex::gpu
