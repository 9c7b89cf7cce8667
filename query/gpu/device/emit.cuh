// How a CTA hands documents to their query's candidates, and how a query's threshold rises.
// Internal.
#pragma once

#include "gpu/device/list_reader.cuh"
#include "gpu/device/score.cuh"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// The threshold at the moment. Others raise it meanwhile; it never falls.
__device__ inline std::uint32_t current_threshold(const QueryState& state) {
  return __ldcg(&state.threshold);
}

/// Whether OR has something to do for a query: not where AND was to come first and found enough.
__device__ inline bool or_is_wanted(const Batch& batch, const Query& query) {
  return !(query.flags & kFallback) || batch.states[query.state].matches < query.least;
}

/// Whether sums in units are all that decides between documents of a query.
__device__ inline bool sums_are_exact(const Batch& batch, const Query& query) {
  return batch.form == ScoreForm::kImpact && query.slack == 0 && batch.static_scores == nullptr;
}

/// Whether what is known of a query is OR's, if it is one of OR: not where AND found enough.
__device__ inline bool or_has_run(const Query& query, const QueryState& state) {
  return !(query.flags & kFallback) || state.fell_back != 0;
}

/// What a document's sum must reach, as known when this was made.
struct Need {
  __device__ Need(const Batch& batch, const Query& query) {
    const QueryState& state = batch.states[query.state];
    threshold = current_threshold(state);
    if (or_has_run(query, state)) threshold = max(threshold, query.seed);
    last_tied = kNone;
    if (!sums_are_exact(batch, query)) return;
    const unsigned long long tie = __ldcg(&state.tie);
    if (tie >> 32 == threshold) last_tied = ~static_cast<std::uint32_t>(tie);
  }
  /// Of a document, or of the first of some.
  __device__ std::uint32_t of(std::uint32_t document) const {
    return document > last_tied ? threshold + 1 : threshold;
  }

  std::uint32_t threshold;
  std::uint32_t last_tied;  ///< equal sums behind this document are not enough
};

/// Appends one document a lane, where `has`, to the query's candidates. Returns how many there are
/// then, room or no room. A whole warp.
__device__ inline std::uint32_t append_candidate(const Batch& batch, const Query& query, bool has,
                                                 std::uint32_t document, std::uint32_t sum) {
  QueryState& state = batch.states[query.state];
  const std::uint32_t group = __ballot_sync(kWholeWarp, has);
  if (group == 0) return 0;
  std::uint32_t first = 0;
  if (lane_id() == 0) first = atomicAdd(&state.candidates, __popc(group));
  first = __shfl_sync(kWholeWarp, first, 0);
  const std::uint32_t place = first + __popc(group & ((1U << lane_id()) - 1));
  const bool fits = has && place < query.capacity;
  const std::uint32_t fitting = __ballot_sync(kWholeWarp, fits);
  if (fits) {
    batch.candidates[std::size_t{query.candidates} + place] = {document, sum};
    const std::uint32_t bin =
        min(lower_units(batch, query, document, sum) >> query.bin_shift, kBins - 1);
    // Once for all that have the same: equal sums may be many, and each addition takes its turn.
    const std::uint32_t same = __match_any_sync(fitting, bin);
    if (lane_id() == __ffs(static_cast<int>(same)) - 1U) {
      atomicAdd(&batch.histograms[std::size_t{query.state} * kBins + bin], __popc(same));
    }
  }
  return first + __popc(group);
}

/// The units of a document's static score, rounded up.
__device__ inline std::uint32_t static_units(const Batch& batch, const Query& query,
                                             std::uint32_t document) {
  if (batch.static_scores == nullptr) return 0;
  return static_cast<std::uint32_t>(ceilf(batch.static_scores[document] * query.static_scale));
}

/// Units that static scores add at most in a tile.
__device__ inline std::uint32_t static_tile_bound(const Batch& batch, const Query& query,
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

/// Raises the threshold to where the histogram has k documents, of those that are seen to be
/// counted there: all that the callers counted before a barrier of theirs, and others' as they
/// come. Fewer make it lower, never wrong, so nothing is waited for. One whole warp. O(kBins / 32).
__device__ inline void raise_threshold(const Batch& batch, const Query& query) {
  QueryState& state = batch.states[query.state];
  if (__shfl_sync(kWholeWarp, __ldcg(&state.candidates), 0) < query.k) return;
  const std::uint32_t* bins = batch.histograms + std::size_t{query.state} * kBins;
  constexpr std::uint32_t kPerLane = kBins / kWarp;
  const auto* own = reinterpret_cast<const uint4*>(bins + lane_id() * kPerLane);
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kPerLane / 4; ++i) {
    const uint4 four = __ldcg(own + i);
    mine += four.x + four.y + four.z + four.w;
  }
  std::uint32_t above = mine;  // becomes: in this lane's bins and all above
#pragma unroll
  for (std::uint32_t step = 1; step < kWarp; step *= 2) {
    const std::uint32_t other = __shfl_down_sync(kWholeWarp, above, step);
    if (lane_id() + step < kWarp) above += other;
  }
  const std::uint32_t enough = __ballot_sync(kWholeWarp, above >= query.k);
  if (enough == 0) return;
  const std::uint32_t lane = 31 - __clz(enough);  // the highest lane that has k with those above
  const std::uint32_t beyond = __shfl_sync(kWholeWarp, above - mine, lane);
  static_assert(kPerLane == kWarp);
  std::uint32_t sum = __ldcg(bins + lane * kPerLane + lane_id());
#pragma unroll
  for (std::uint32_t step = 1; step < kWarp; step *= 2) {
    const std::uint32_t other = __shfl_down_sync(kWholeWarp, sum, step);
    if (lane_id() + step < kWarp) sum += other;
  }
  const std::uint32_t reached = __ballot_sync(kWholeWarp, sum + beyond >= query.k);
  // Bins grow while they are read: then fewer may be seen, never more than there are.
  if (reached == 0 || lane_id() != 0) return;
  const std::uint32_t bin = lane * kPerLane + 31 - __clz(reached);
  atomicMax(&state.threshold, bin << query.bin_shift);
}

}  // namespace warpdex::gpu
