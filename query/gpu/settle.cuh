// What is known of a query's answer so far: its threshold, and the candidates that can be in it
// still. Internal.
#pragma once

#include "warpdex/query/gpu/digits.cuh"
#include "warpdex/query/gpu/emit.cuh"

namespace warpdex::gpu {

/// Threads of a CTA that has a query to itself.
inline constexpr std::uint32_t kQueryThreads = 512;

/// Forgets what AND found of a query that is to be answered by OR. A whole CTA. Others may ask
/// meanwhile whether OR is wanted: it is, before and after.
__device__ inline void start_over(const Batch& batch, const Query& query) {
  std::uint32_t* const bins = batch.histograms + std::size_t{query.state} * kBins;
  for (std::uint32_t i = threadIdx.x; i < kBins; i += blockDim.x) bins[i] = 0;
  if (threadIdx.x != 0) return;
  QueryState& state = batch.states[query.state];
  state.candidates = 0;
  state.matches = 0;
  state.fell_back = 1;
}

/// In shared memory.
struct CompactMemory {
  std::uint32_t kept;
  std::uint32_t warp_kept[kQueryThreads / kWarp];
};

/// Drops the first `count` candidates that miss what is needed, and returns how many stay. A whole
/// CTA. Bound by reading 8 bytes a candidate.
__device__ inline std::uint32_t compact_candidates(Candidate* candidates, std::uint32_t count,
                                                   const Need& need, CompactMemory& memory) {
  const std::uint32_t warp = warp_id();
  if (threadIdx.x == 0) memory.kept = 0;
  for (std::uint32_t begin = 0; begin < count; begin += kQueryThreads) {
    const std::uint32_t i = begin + threadIdx.x;
    Candidate candidate{};
    if (i < count) candidate = candidates[i];
    const bool keep = i < count && candidate.sum >= need.of(candidate.document);
    const std::uint32_t group = __ballot_sync(kWholeWarp, keep);
    if (lane_id() == 0) memory.warp_kept[warp] = __popc(group);
    __syncthreads();  // all have read theirs: places up to begin + kQueryThreads may be written
    std::uint32_t place = memory.kept + __popc(group & ((1U << lane_id()) - 1));
    std::uint32_t total = 0;
    for (std::uint32_t other = 0; other < kQueryThreads / kWarp; ++other) {
      if (other < warp) place += memory.warp_kept[other];
      total += memory.warp_kept[other];
    }
    if (keep) candidates[place] = candidate;
    __syncthreads();
    if (threadIdx.x == 0) memory.kept += total;
  }
  __syncthreads();
  return memory.kept;
}

/// In shared memory.
struct Settling {
  CompactMemory compact;
  std::uint32_t counts[kDigits];
  std::uint32_t above;  ///< candidates better than the threshold
  std::uint32_t tied;   ///< and those that equal it
  std::uint32_t prefix;
  std::uint32_t wanted;
};

/// Where more documents have the threshold's sum than the answer has room for: finds the last that
/// can be in it. A whole CTA; five passes over the candidates.
__device__ inline void settle_ties(const Batch& batch, const Query& query, std::uint32_t count,
                                   Settling& memory) {
  QueryState& state = batch.states[query.state];
  const std::uint32_t threshold = Need(batch, query).threshold;
  const Candidate* const candidates = batch.candidates + query.candidates;
  if (threadIdx.x == 0) memory.above = memory.tied = memory.prefix = 0;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += kQueryThreads) {
    const std::uint32_t sum = candidates[i].sum;
    if (sum >= threshold) atomicAdd(sum > threshold ? &memory.above : &memory.tied, 1);
  }
  __syncthreads();
  if (memory.above >= query.k || memory.above + memory.tied <= query.k) return;
  if (threadIdx.x == 0) memory.wanted = query.k - memory.above;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (threadIdx.x < kDigits) memory.counts[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t prefix = memory.prefix;
    for (std::uint32_t i = threadIdx.x; i < count; i += kQueryThreads) {
      const Candidate candidate = candidates[i];
      const bool same = shift == 24 || candidate.document >> (shift + 8) == prefix;
      if (candidate.sum == threshold && same) {
        atomicAdd(&memory.counts[candidate.document >> shift & (kDigits - 1)], 1);
      }
    }
    __syncthreads();
    if (warp_id() == 0) {
      std::uint32_t wanted = memory.wanted;
      const std::uint32_t digit = find_digit_from_bottom(memory.counts, wanted);
      __syncwarp();
      if (lane_id() == 0) {
        memory.wanted = wanted;
        memory.prefix = prefix << 8 | digit;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicMax(&state.tie, static_cast<unsigned long long>(threshold) << 32 | ~memory.prefix);
  }
}

/// Raises the threshold and drops the candidates that miss it. Returns how many stay. A whole CTA.
__device__ inline std::uint32_t settle(const Batch& batch, const Query& query, Settling& memory) {
  QueryState& state = batch.states[query.state];
  const std::uint32_t count = min(state.candidates, query.capacity);
  if (threadIdx.x == 0 && state.candidates > query.capacity) state.overflow = 1;
  if (warp_id() == 0) {
    raise_threshold(batch, query);
    __threadfence();
  }
  __syncthreads();
  if (count > query.k && sums_are_exact(batch, query)) settle_ties(batch, query, count, memory);
  __threadfence();
  __syncthreads();
  const std::uint32_t kept = compact_candidates(batch.candidates + query.candidates, count,
                                                Need(batch, query), memory.compact);
  if (threadIdx.x == 0) state.candidates = kept;
  return kept;
}

}  // namespace warpdex::gpu
