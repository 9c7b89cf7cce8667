// Plans a query's tile for add_stored: where the postings of its lists are, which lists are
// essential (MaxScore), and the chunks that warps take. Internal to kernels/stored/.
#pragma once

#include "gpu/kernels/stored/stored_rows.cuh"
#include "gpu/kernels/stored/stored_units.cuh"

namespace warpdex::gpu {

/// With no more essential postings than this, their accumulators are cleared one by one. That takes
/// some 4 cycles for 32 of them; clearing all of a tile takes 256.
inline constexpr std::uint32_t kFewEssential = 1024;

/// A list's postings in a tile. They are read in fours. The first four may begin with postings of
/// the tile before.
struct StoredPart {
  std::uint32_t first_four;  ///< its place among all stored postings, in fours
  std::uint32_t weight;      ///< impacts: units times 256; BM25: units times 16
  std::uint16_t skipped;     ///< of the first four: postings before the tile
  std::uint16_t count;       ///< postings in the tile

  /// Chunks of 128 postings, counting those that are skipped.
  __device__ std::uint32_t chunks() const {
    return count == 0 ? 0 : (skipped + count + kBlockSize - 1) / kBlockSize;
  }
};

/// The plan of a query's tile.
struct StoredPlan {
  std::uint32_t query;
  std::uint32_t need;  ///< the sum that a document must reach
  std::uint32_t
      floor;  ///< lists that are not essential add only to sums of at least this; 1 or more
  std::uint32_t scoring;
  std::uint32_t lists;  ///< with prohibited ones, which are the last; 0: nothing is left to do
  std::uint32_t cap;    ///< a posting counts no more units
  bool clears_all;      ///< all accumulators, and not only those of essential postings
  std::uint32_t essential_chunks;  ///< of 128 postings: the first ones in `chunk`
  std::uint32_t chunks;            ///< of all scoring lists
  StoredPart parts[kMaxLists];
  std::uint16_t chunk[kMaxStoredChunks];  ///< 256 times the list, plus the number in the list
};

/// A list's postings in a tile, for a plan. `weight`: of StoredPart.
__device__ inline StoredPart part_of(const OrRounds& batch, const List& list, std::uint32_t tile,
                                     std::uint32_t weight) {
  const std::uint32_t* const starts = starts_of(batch, list.stored_row) + tile;
  const std::uint32_t begin = starts[0];
  const std::uint32_t first_four = list.stored_block * (kBlockSize / 4) + begin / 4;
  return {first_four, weight, static_cast<std::uint16_t>(begin % 4),
          static_cast<std::uint16_t>(starts[1] - begin)};
}

/// Plans one query's tile. A whole warp.
template <class Units>
__device__ void plan_tile(const OrRounds& batch, std::uint32_t tile, std::uint32_t or_query,
                          StoredPlan& plan) {
  const std::uint32_t index = batch.and_queries + or_query;
  const Query& query = batch.queries[index];
  const std::uint32_t need = max(Threshold(batch, query).at(tile * kTileDocuments), 1U);
  const std::uint32_t bound = batch.tile_bounds[query.tile_row + tile];
  std::uint32_t postings = 0;  // of essential lists
  std::uint32_t rest = 0;      // the most that the lists that are not essential can add
  std::uint32_t chunks = 0;
  std::uint32_t essential_chunks = 0;
  for (std::uint32_t begin = 0; begin < query.list_count; begin += kWarp) {
    const std::uint32_t i = begin + lane_id();
    const bool scores = i < query.scoring_lists;
    std::uint32_t before = 0;  // the bound of this list and those after it
    std::uint32_t count = 0;
    std::uint32_t own_chunks = 0;
    if (i < query.list_count) {
      const List& list = batch.lists[query.first_list + i];
      const StoredPart part =
          part_of(batch, list, tile, scores ? stored_weight<Units>(query, list) : 0);
      plan.parts[i] = part;
      count = part.count;
      if (scores) own_chunks = part.chunks();
      if (scores) before = i == 0 ? bound : batch.suffix_bounds[(&list)[-1].tile_row + tile];
    }
    const bool is_essential = scores && before >= need;
    postings += warp_sum(is_essential ? count : 0);
    rest = max(rest, warp_max(is_essential ? 0 : before));
    const std::uint32_t sum = inclusive_sum(own_chunks);
    for (std::uint32_t n = 0; n < own_chunks; ++n) {
      const std::uint32_t place = chunks + sum - own_chunks + n;
      if (place < kMaxStoredChunks) plan.chunk[place] = static_cast<std::uint16_t>(i << 8 | n);
    }
    essential_chunks += warp_sum(is_essential ? own_chunks : 0);
    chunks += __shfl_sync(kWholeWarp, sum, kWarp - 1);
  }
  if (lane_id() != 0) return;
  plan.query = index;
  plan.need = need;
  plan.floor = need - rest;
  plan.scoring = query.scoring_lists;
  plan.lists = bound < need ? 0 : query.list_count;
  plan.cap = query.unit_cap;
  plan.clears_all = postings > kFewEssential;
  plan.essential_chunks = essential_chunks;
  plan.chunks = chunks;
}

/// A lane's four postings of a chunk.
struct StoredFour {
  uint4 postings;
  std::uint32_t number;  ///< of the first, among those of the list in the tile; if it is skipped,
                         ///< a number below 0 as 32 bits hold it
  std::uint32_t count;   ///< postings of the list in the tile
  std::uint32_t weight;

  __device__ StoredFour(const uint4* stored, const StoredPart& part, std::uint32_t chunk)
      : postings{},
        number(chunk * kBlockSize + lane_id() * 4 - part.skipped),
        count(part.count),
        weight(part.weight) {
    if (static_cast<std::int32_t>(number) < static_cast<std::int32_t>(count)) {
      postings = __ldg(stored + part.first_four + chunk * kWarp + lane_id());
    }
  }

  /// Calls use(posting, weight) for those in the tile.
  template <class Use>
  __device__ void visit(Use use) const {
    const StoredPosting all[4] = {postings.x, postings.y, postings.z, postings.w};
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      if (number + j < count) use(all[j], weight);
    }
  }
};

}  // namespace warpdex::gpu
