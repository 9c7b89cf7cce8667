// Before a round of OR: estimates what it would save to decode each list once for all queries of
// a batch. Each tile that is left would otherwise be answered by lookups, or by decoding its blocks
// for one query; the savings of all tiles are added up. Where bounds leave few documents, decoded
// lists save nothing.
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/tile_costs.cuh"
#include "gpu/kernels/stored/stored_units.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Writes what searching for a query in decoded lists needs to know of it. A whole CTA.
__device__ void write_uses(const OrRounds& batch, const Query& query) {
  for (std::uint32_t i = threadIdx.x; i < query.list_count; i += kThreads) {
    const List& list = batch.lists[query.first_list + i];
    batch.stored_uses[query.first_list + i] = {list.stored_block * kBlockSize, list.stored_row,
                                               stored_weight<Bm25Units>(query, list),
                                               list.tile_row};
  }
  if (threadIdx.x != 0) return;
  // Warps that search read the state alone.
  if ((query.flags & kFallback) == 0) {
    atomicMax(&batch.states[query.state].threshold, query.seed_threshold);
  }
  batch.stored_queries[blockIdx.x] = {
      query.first_list,     query.scoring_lists | query.list_count << 16,
      query.tile_row,       query.state,
      query.seed_threshold, query.unit_cap};
}

/// The bound of a tile that is left to a round or to one behind it; 0 for others. Before the first
/// round no tile has a round yet.
__device__ std::uint32_t left_bound(const OrRounds& batch, const Query& query, std::uint32_t tile,
                                    std::uint32_t round) {
  if (round == 0) return tile < query.end_tile ? batch.tile_bounds[query.tile_row + tile] : 0;
  std::uint32_t bound = 0;
  for (; round < batch.round_count; ++round) {
    bound = max(bound, due_bound(batch, query, tile, round));
  }
  return bound;
}

/// Work item: a query, a CTA of 256 threads; 32 tiles a warp. Bound as begin_round.
__global__ void __launch_bounds__(kThreads) weigh_stored(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  if ((query.flags & kStored) == 0 || (query.flags & kAddsUpOnly) != 0) return;
  if (round == 0) write_uses(batch, query);
  if (!or_has_run(query, batch.states[query.state]) || (round > 0 && uses_store(batch, 0))) return;
  const Threshold need(batch, query);
  float saving = 0;
  for (std::uint32_t begin = query.first_tile + warp_id() * kWarp; begin < query.end_tile;
       begin += kThreads) {
    const std::uint32_t tile = begin + lane_id();
    const std::uint32_t least = need.at(tile * kTileDocuments);
    std::uint32_t bound = left_bound(batch, query, tile, round);
    if (bound < least) bound = 0;
    if (!__any_sync(kWholeWarp, bound != 0)) continue;
    const TileCosts costs = estimate_costs(batch, query, tile, bound, least);
    if (bound != 0) saving += max(0.F, saved_by_store(batch, costs, query.scoring_lists));
  }
  const auto whole = warp_sum(static_cast<std::uint32_t>(saving));
  if (lane_id() == 0 && whole > 0) {
    atomicAdd(batch.stored_saving + (round == 0 ? 0 : 1), static_cast<unsigned long long>(whole));
  }
}

}  // namespace

void launch_weigh_stored(const OrRounds& batch, std::uint32_t round, cudaStream_t stream) {
  launch("weigh_stored", weigh_stored, batch.or_queries, kThreads, 0, stream, batch, round);
}

}  // namespace warpdex::gpu
