// Estimates the costs of the ways to answer a tile. Internal.
#pragma once

#include "gpu/device/candidates.cuh"

namespace warpdex::gpu {

// Estimated costs of the two ways to answer a tile, in instructions of a warp. In truth,
// accumulating takes about half of what is said here. With that as its cost, queries with k = 1000
// take a fifth longer over a generated collection of GOV2's size.
inline constexpr float kAddBlock = 300;     // to decode and accumulate a block
inline constexpr float kTile = 10'000;      // to clear and to scan a tile's accumulators
inline constexpr float kLookUpBlock = 450;  // to decode a block and find its competitive documents
inline constexpr float kLookUpDocument =
    20;  // in one or two further lists, after which most are dropped
/// In queries of more than kManyLists lists, documents are dropped later: each costs
/// kLookUpDocument once for every kListsPassed of the lists from its own on.
inline constexpr std::uint32_t kManyLists = 12;
inline constexpr float kListsPassed = 4;

// Costs of a tile that is added up from decoded lists, in the same instructions.
inline constexpr float kStoredTileCost = 2'500;  // to find its lists, and to clear up after it
inline constexpr float kAddStored = 120;         // to add up 128 postings
/// Next to the costs of decoded lists, other lookups cost so many times their estimate (measured
/// over 8.8 million passages).
inline constexpr float kLookupsInTruth = 2;
// Costs of a tile that is searched by lookups in decoded lists, in the same instructions.
inline constexpr float kSearchTile = 400;
inline constexpr float kSearchBlock = 200;  // for 128 postings of an essential list

/// The results of one pass over the query's lists for 32 tiles, one for each lane.
struct TileCosts {
  float by_adding = kTile;     ///< cost of accumulating the lane's tile
  float by_lookups = 0;        ///< cost of lookups in the lane's tile
  float blocks = 0;            ///< that meet the lane's tile
  float essential_blocks = 0;  ///< those of essential lists
  /// For list number lane_id(), a bit for each tile: set where a document of the answer may have
  /// this list as the first of its lists.
  std::uint32_t low = 0;
  std::uint32_t high = 0;  ///< the same for list number lane_id() + 32
};
static_assert(kMaxLists == 2 * kWarp);

/// Estimates the costs of the tiles of all lanes. `bound` is that of the lane's tile; 0: it is left
/// out. A whole warp. Bound by the latency of reading tables, so those of kListsAtOnce lists are
/// read together.
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
      // The share of scores that decide, if they were spread evenly up to the bound. It is squared
      // below, since in truth fewer scores are high.
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

/// Whether the lane's tile may be answered from decoded lists, of which `lists` score. Where tiles
/// are added up from them, the tile must not have too many chunks of postings. A list has at most
/// one chunk more than blocks in a tile.
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
