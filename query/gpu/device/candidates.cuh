// A query's candidates and its threshold: appending documents, and raising the threshold. Internal.
#pragma once

#include "gpu/device/list_reader.cuh"
#include "gpu/device/score.cuh"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// The current threshold. Other warps may raise it at any time; it never falls.
__device__ inline std::uint32_t current_threshold(const QueryState& state) {
  return __ldcg(&state.threshold);
}

/// Whether a document was removed. Where none was, this reads nothing.
__device__ inline bool is_removed(const Batch& batch, std::uint32_t document) {
  return batch.removed != nullptr && (__ldg(batch.removed + document / 32) >> document % 32 & 1);
}

/// Whether OR must run for a query: not where AND came first and matched enough.
__device__ inline bool or_is_wanted(const Batch& batch, const Query& query) {
  return !(query.flags & kFallback) || batch.states[query.state].matches < query.min_matches;
}

/// Whether sums in units alone rank a query's documents.
__device__ inline bool sums_are_exact(const Batch& batch, const Query& query) {
  return query.rounding_slack == 0 && batch.static_scores == nullptr;
}

/// Whether a query's state is OR's. If AND came first, it is OR's only where AND matched too few:
/// then start_over() has set `fell_back`.
__device__ inline bool or_has_run(const Query& query, const QueryState& state) {
  return !(query.flags & kFallback) || state.fell_back != 0;
}

/// The sum that a document must reach to be a candidate. The constructor reads it; other warps may
/// have raised it since.
struct Threshold {
  __device__ Threshold(const Batch& batch, const Query& query) {
    const QueryState& state = batch.states[query.state];
    sum = current_threshold(state);
    if (or_has_run(query, state)) sum = max(sum, query.seed_threshold);
    last_tied = kNone;
    if (!sums_are_exact(batch, query)) return;
    const unsigned long long tie = __ldcg(&state.tie);
    if (tie >> 32 == sum) last_tied = ~static_cast<std::uint32_t>(tie);
  }
  /// For a document, or for the first of a range of documents.
  __device__ std::uint32_t at(std::uint32_t document) const {
    return document > last_tied ? sum + 1 : sum;
  }

  std::uint32_t sum;
  std::uint32_t last_tied;  ///< documents behind this one need more than `sum`
};

/// Appends a document to the query's candidates for each lane that `has` one. Returns the new
/// number of candidates, which may exceed the capacity; 0 if no lane has one. A whole warp. `Units`
/// are those of the sums, or BatchUnits.
template <class Units>
__device__ inline std::uint32_t append_candidate(const Batch& batch, const Query& query, bool has,
                                                 std::uint32_t document, std::uint32_t sum) {
  QueryState& state = batch.states[query.state];
  const std::uint32_t group = __ballot_sync(kWholeWarp, has);
  if (group == 0) return 0;
  std::uint32_t first = 0;
  if (lane_id() == 0) first = atomicAdd(&state.candidates, __popc(group));
  first = __shfl_sync(kWholeWarp, first, 0);
  const std::uint32_t place = first + __popc(group & ((1U << lane_id()) - 1));
  const bool fits = has && place < query.candidate_capacity;
  std::uint32_t bin = kNone;
  if (fits) {
    batch.candidates[std::size_t{query.first_candidate} + place] = {document, sum};
    bin =
        min(lower_units<Units>(batch, query, document, sum) >> query.bin_shift, kHistogramBins - 1);
  }
  // One addition for all lanes with the same bin: equal sums are frequent, and atomic additions to
  // one address are serialized. All lanes look for it. If only those that fit did, ptxas 13.0 would
  // take all branches of some kernels for divergent.
  const std::uint32_t same = __match_any_sync(kWholeWarp, bin);
  if (fits && lane_id() == __ffs(static_cast<int>(same)) - 1U) {
    atomicAdd(&batch.histograms[std::size_t{query.state} * kHistogramBins + bin], __popc(same));
  }
  return first + __popc(group);
}

/// The units of a document's static score, rounded up.
__device__ inline std::uint32_t static_units(const Batch& batch, const Query& query,
                                             std::uint32_t document) {
  if (batch.static_scores == nullptr) return 0;
  return static_cast<std::uint32_t>(ceilf(batch.static_scores[document] * query.static_scale));
}

/// The units of the largest static score in a tile, rounded up.
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

/// Raises the threshold to the start of the highest bin of the histogram that has k documents
/// together with all bins above it. This sees all documents that the CTA counted before its last
/// barrier, and perhaps some of other CTAs. With fewer documents the threshold is lower but never
/// wrong, so nothing is waited for. A whole warp. O(kHistogramBins / 32).
__device__ inline void raise_threshold(const Batch& batch, const Query& query) {
  QueryState& state = batch.states[query.state];
  if (__shfl_sync(kWholeWarp, __ldcg(&state.candidates), 0) < query.k) return;
  const std::uint32_t* bins = batch.histograms + std::size_t{query.state} * kHistogramBins;
  constexpr std::uint32_t kPerLane = kHistogramBins / kWarp;
  const auto* own = reinterpret_cast<const uint4*>(bins + lane_id() * kPerLane);
  std::uint32_t mine = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kPerLane / 4; ++i) {
    const uint4 four = __ldcg(own + i);
    mine += four.x + four.y + four.z + four.w;
  }
  std::uint32_t above = mine;  // becomes the count in this lane's bins and all above them
#pragma unroll
  for (std::uint32_t step = 1; step < kWarp; step *= 2) {
    const std::uint32_t other = __shfl_down_sync(kWholeWarp, above, step);
    if (lane_id() + step < kWarp) above += other;
  }
  const std::uint32_t enough = __ballot_sync(kWholeWarp, above >= query.k);
  if (enough == 0) return;
  const std::uint32_t lane = 31 - __clz(enough);  // the highest lane whose count reaches k
  const std::uint32_t beyond = __shfl_sync(kWholeWarp, above - mine, lane);
  static_assert(kPerLane == kWarp);
  std::uint32_t sum = __ldcg(bins + lane * kPerLane + lane_id());
#pragma unroll
  for (std::uint32_t step = 1; step < kWarp; step *= 2) {
    const std::uint32_t other = __shfl_down_sync(kWholeWarp, sum, step);
    if (lane_id() + step < kWarp) sum += other;
  }
  const std::uint32_t reached = __ballot_sync(kWholeWarp, sum + beyond >= query.k);
  // Bins may grow while they are read. The threshold may then be lower than it could be, never
  // higher.
  if (reached == 0 || lane_id() != 0) return;
  const std::uint32_t bin = lane * kPerLane + 31 - __clz(reached);
  atomicMax(&state.threshold, bin << query.bin_shift);
}

}  // namespace warpdex::gpu
