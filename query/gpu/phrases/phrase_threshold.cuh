// Scores of phrases, and the threshold that they must reach. Internal.
#pragma once

#include "gpu/device/exact_score.cuh"
#include "gpu/layout/batch.hpp"
#include "gpu/phrases/phrase_batch.hpp"
#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/indexer/format/score_bound.hpp"

namespace warpdex::gpu {

/// A call: each place would have the code of all scorers.
__device__ __noinline__ inline float sum_of_parts(ScorerKind kind, const PhrasePart* parts,
                                                  std::uint32_t count, float frequency,
                                                  float length) {
  return with_scorer(Scorers(), kind, [&]<class Scorer>() {
    float sum = 0;
#pragma unroll 1
    for (std::uint32_t i = 0; i < count; ++i) sum += Scorer::score(parts[i], frequency, length);
    return sum;
  });
}

/// PhraseScorer::score(), bit for bit.
__device__ inline float phrase_score(const PhraseBatch& batch, const PhraseQuery& query,
                                     float frequency, float length) {
  return sum_of_parts(batch.scorer(), batch.parts + query.first_part, query.parts, frequency,
                      length);
}

/// The bin of a score in its query's histogram. It never falls where the score rises. So a document
/// whose upper bound is in a lower bin than k others are scores less than all of them.
__device__ inline std::uint32_t bin_of(const PhraseQuery& query, float score) {
  return min(static_cast<std::uint32_t>(score * query.bin_scale), kPhraseBins - 1);
}

/// An upper bound of the scores of a block of the rarest word's list, which has that ScoreBound.
__device__ inline float block_bound(const PhraseBatch& batch, const PhraseQuery& query,
                                    uint2 bound) {
  float best = 0;
#pragma unroll 1
  for (std::uint32_t pair = 0; pair < kBoundPairs; ++pair) {
    best = fmaxf(best, phrase_score(batch, query, decode_rounded(bound.x >> 8 * pair & 255),
                                    decode_rounded(bound.y >> 8 * pair & 255)));
  }
  return best * query.slack;
}

/// Raises the threshold to the highest bin that has k candidates together with all bins above it. A
/// whole warp. What other warps add meanwhile may be seen or not: the threshold may be lower than
/// it could be, never wrong.
__device__ inline void raise_phrase_threshold(const PhraseBatch& batch, std::uint32_t query) {
  constexpr std::uint32_t kPerLane = kPhraseBins / kWarp;
  const std::uint32_t* const bins = batch.bins + std::size_t{query} * kPhraseBins;
  std::uint32_t mine[kPerLane];
  std::uint32_t sum = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kPerLane; ++i) {
    mine[i] = __ldcg(bins + lane_id() * kPerLane + i);
    sum += mine[i];
  }
  std::uint32_t above = sum;  // becomes the count in this lane's bins and all above them
#pragma unroll
  for (std::uint32_t step = 1; step < kWarp; step *= 2) {
    const std::uint32_t other = __shfl_down_sync(kWholeWarp, above, step);
    if (lane_id() + step < kWarp) above += other;
  }
  const std::uint32_t enough = __ballot_sync(kWholeWarp, above >= batch.k);
  if (enough == 0 || lane_id() != 31U - __clz(static_cast<int>(enough))) return;
  std::uint32_t left = above - sum;
  std::uint32_t bin = kPerLane;
#pragma unroll
  for (std::uint32_t i = kPerLane; i-- > 0;) {
    if (left >= batch.k) continue;
    left += mine[i];
    bin = i;
  }
  atomicMax(&batch.phrase_states[query].threshold, lane_id() * kPerLane + bin);
}

}  // namespace warpdex::gpu
