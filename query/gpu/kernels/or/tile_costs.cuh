// Estimates the costs of the ways to answer a tile. Internal.
#pragma once

#include "gpu/device/candidates.cuh"

namespace warpdex::gpu {

// Estimated costs of the two ways to answer a tile, in instructions of a warp. Accumulating takes
// about half as many in truth: with lower costs for it, k = 1000 took a fifth longer over gov2.
inline constexpr float kAddBlock = 300;     // to decode and accumulate a block
inline constexpr float kTile = 10'000;      // to clear and to scan a tile's accumulators
inline constexpr float kLookUpBlock = 450;  // to decode a block and find its competitive documents
inline constexpr float kLookUpDocument =
    20;  // in one or two further lists, after which most are dropped
/// Documents of a query of more lists than these stay longer: they are looked up in one list of so
/// many behind theirs, twice or more.
inline constexpr std::uint32_t kManyLists = 12;
inline constexpr float kListsPassed = 4;

/// Of a tile whose lists are decoded already, in the same instructions: to find its lists and to
/// clear up behind it; and to add up 128 postings. Lookups take twice what the estimate says, next
/// to these (measured over 8.8 million passages).
inline constexpr float kStoredTileCost = 2'500;
inline constexpr float kAddStored = 120;
inline constexpr float kLookupsInTruth = 2;
/// By lookups in decoded lists, in the same instructions: for a tile, and to look up the 128
/// postings of a block of an essential list.
inline constexpr float kSearchTile = 400;
inline constexpr float kSearchBlock = 200;

/// The results of one pass over the query's lists for 32 tiles, one for each lane.
struct TileCosts {
  float by_adding = kTile;     ///< cost of accumulating the lane's tile
  float by_lookups = 0;        ///< cost of lookups in the lane's tile
  float blocks = 0;            ///< that meet the lane's tile
  float essential_blocks = 0;  ///< those of essential lists
  /// For list number lane_id(): a bit for each tile where it may be the first of the query's lists
  /// that has a document of the answer.
  std::uint32_t low = 0;
  std::uint32_t high = 0;  ///< the same for list number lane_id() + 32
};
static_assert(kMaxLists == 2 * kWarp);

/// Estimates the costs of tiles with these bounds; with bound 0, the lane's tile is left out. A
/// whole warp. Bound by the latency of reading tables: those of kListsAtOnce lists are read
/// together.
__device__ inline TileCosts estimate_costs(const OrRounds& batch, const Query& query,
                                           std::uint32_t tile, std::uint32_t bound,
                                           std::uint32_t need) {
  constexpr std::uint32_t kListsAtOnce = 4;
  const List* const lists = batch.lists + query.first_list;
  TileCosts costs;
  std::uint32_t rest = bound;
  for (std::uint32_t begin = 0; begin < query.scoring_lists; begin += kListsAtOnce) {
    std::uint32_t suffix_bounds[kListsAtOnce];
    std::uint32_t blocks[kListsAtOnce];
#pragma unroll
    for (std::uint32_t j = 0; j < kListsAtOnce; ++j) {
      suffix_bounds[j] = blocks[j] = 0;
      if (bound == 0 || begin + j >= query.scoring_lists) continue;
      const List& list = lists[begin + j];
      const std::uint32_t row = list.tile_row + tile;
      suffix_bounds[j] = batch.suffix_bounds[row];
      blocks[j] = 1;
      if ((list.flags & kRaw) == 0) {
        blocks[j] += batch.first_blocks[row + 1] - batch.first_blocks[row];
      }
    }
#pragma unroll
    for (std::uint32_t j = 0; j < kListsAtOnce; ++j) {
      const std::uint32_t i = begin + j;
      if (i >= query.scoring_lists) break;
      const std::uint32_t before = rest;
      rest = suffix_bounds[j];
      const bool has_postings = rest < before;
      const bool decides = has_postings && before >= need;
      const std::uint32_t group = __ballot_sync(kWholeWarp, decides);
      if (lane_id() == i) costs.low = group;
      if (lane_id() + kWarp == i) costs.high = group;
      if (has_postings) {
        costs.blocks += static_cast<float>(blocks[j]);
        costs.by_adding += static_cast<float>(blocks[j]) * kAddBlock;
      }
      if (!decides) continue;
      costs.essential_blocks += static_cast<float>(blocks[j]);
      // As if scores were spread evenly up to the bound; squared, since fewer are high in truth.
      const float share =
          min(1.F, static_cast<float>(before - need + 1) / static_cast<float>(before - rest));
      const float passed =
          query.scoring_lists > kManyLists
              ? max(1.F, static_cast<float>(query.scoring_lists - i) / kListsPassed)
              : 1.F;
      costs.by_lookups += static_cast<float>(blocks[j]) *
                          (kLookUpBlock + share * share * kBlockSize * kLookUpDocument * passed);
    }
  }
  return costs;
}

/// Whether the lane's tile may be answered from decoded lists, of which `lists` score: where tiles
/// are added up from them, it must not have too many postings. A list has one chunk more than
/// blocks in a tile at most.
__device__ inline bool may_store(const OrRounds& batch, const TileCosts& costs,
                                 std::uint32_t lists) {
  return !batch.adds_stored || costs.blocks <= static_cast<float>(kMaxStoredChunks - lists);
}

/// The cost that is saved if the lane's tile is answered from decoded lists, of which `lists`
/// score; 0 or less if nothing is saved.
__device__ inline float saved_by_store(const OrRounds& batch, const TileCosts& costs,
                                       std::uint32_t lists) {
  if (!may_store(batch, costs, lists)) return 0;
  const float own = batch.adds_stored ? kStoredTileCost + costs.blocks * kAddStored
                                      : kSearchTile + costs.essential_blocks * kSearchBlock;
  return min(costs.by_adding, kLookupsInTruth * costs.by_lookups) - own;
}

/// Whether the lane's tile is answered from decoded lists.
__device__ inline bool is_for_store(const OrRounds& batch, const Query& query,
                                    const TileCosts& costs) {
  return batch.stores_all ? may_store(batch, costs, query.scoring_lists)
                          : saved_by_store(batch, costs, query.scoring_lists) > 0;
}

/// Before the first round, thresholds come from seeds alone, so the estimated saving is too high.
/// It must be at least this many times the cost of decoding the lists.
inline constexpr std::uint32_t kSureSaving = 8;

/// Whether lists are decoded once for all queries before a round, as weigh_stored found. Documents
/// can be looked up in them in the first round, too.
__device__ inline bool uses_store(const OrRounds& batch, std::uint32_t round) {
  if (batch.stored == nullptr) return false;
  if (batch.stores_all) return round > 0 || !batch.adds_stored;
  return batch.stored_saving[0] > kSureSaving * batch.stored_cost ||
         (round > 0 && batch.stored_saving[1] > batch.stored_cost);
}

/// Whether all tiles of a query that a round takes are searched by lookups in decoded lists.
__device__ inline bool is_searched(const OrRounds& batch, const Query& query, std::uint32_t round) {
  return (query.flags & (kStored | kAddsUpOnly)) == kStored && !batch.adds_stored &&
         uses_store(batch, round);
}

/// By tile: queries whose tile is left to decoded lists in the first round, or in a later one.
__device__ inline std::uint32_t* stored_counts_of(const OrRounds& batch, std::uint32_t round) {
  return batch.stored_counts + (round == 0 ? 0 : batch.tiles);
}

/// The bound of a tile that this round takes; 0 for other tiles.
__device__ inline std::uint32_t due_bound(const OrRounds& batch, const Query& query,
                                          std::uint32_t tile, std::uint32_t round) {
  if (tile >= query.end_tile || batch.tile_states[query.tile_row + tile] != round) return 0;
  return batch.tile_bounds[query.tile_row + tile];
}

}  // namespace warpdex::gpu
