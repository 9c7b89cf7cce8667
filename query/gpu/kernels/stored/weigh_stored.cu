// After OR's first round: estimates what it would save to decode each list once for all queries of
// a batch. Each tile that is left would otherwise be answered by lookups, or by decoding its blocks
// for one query; the savings of all tiles are added up. Where bounds leave few documents, decoded
// lists save nothing.
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/tile_costs.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Work item: a query, a CTA of 256 threads; 32 tiles a warp. Bound as begin_round.
__global__ void __launch_bounds__(kThreads) weigh_stored(OrRounds batch) {
  wait_for_previous();
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  if ((query.flags & kStored) == 0 || (query.flags & kAddsUpOnly) != 0) return;
  if (!or_has_run(query, batch.states[query.state])) return;
  const Threshold need(batch, query);
  float saving = 0;
  for (std::uint32_t begin = query.first_tile + warp_id() * kWarp; begin < query.end_tile;
       begin += kThreads) {
    const std::uint32_t tile = begin + lane_id();
    const std::uint32_t least = need.at(tile * kTileDocuments);
    std::uint32_t bound = 0;
    for (std::uint32_t round = 1; round < batch.round_count; ++round) {
      bound = max(bound, due_bound(batch, query, tile, round));
    }
    if (bound < least) bound = 0;
    if (!__any_sync(kWholeWarp, bound != 0)) continue;
    const TileCosts costs = estimate_costs(batch, query, tile, bound, least);
    if (bound != 0) saving += saved_by_store(costs, query.scoring_lists);
  }
  const auto whole = __reduce_add_sync(kWholeWarp, static_cast<std::uint32_t>(saving));
  if (lane_id() == 0 && whole > 0) {
    atomicAdd(batch.stored_saving, static_cast<unsigned long long>(whole));
  }
}

}  // namespace

void launch_weigh_stored(const OrRounds& batch, cudaStream_t stream) {
  launch("weigh_stored", weigh_stored, batch.or_queries, kThreads, 0, stream, batch);
}

}  // namespace warpdex::gpu
