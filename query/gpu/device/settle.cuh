// What is known of a query's answer so far: its threshold, and the candidates that can be in it
// still. Internal.
#pragma once

#include "gpu/device/digits.cuh"
#include "gpu/device/emit.cuh"
#include "gpu/device/team.cuh"

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

/// Candidates that a thread reads at a time.
inline constexpr std::uint32_t kCandidatesAtOnce = 4;

/// Reads the team's candidates, each in one CTA: calls take(some, which of them there are) for
/// kCandidatesAtOnce a thread, until there are no more for the CTA. A whole CTA.
template <class Take>
__device__ inline void for_candidates(const Candidate* candidates, std::uint32_t count,
                                      const Team& team, Take take) {
  const std::uint32_t turn = blockDim.x * kCandidatesAtOnce;
  for (std::uint32_t begin = team.rank() * turn; begin < count; begin += team.size() * turn) {
    Candidate some[kCandidatesAtOnce];
    bool has[kCandidatesAtOnce];
#pragma unroll
    for (std::uint32_t i = 0; i < kCandidatesAtOnce; ++i) {
      const std::uint32_t place = begin + i * blockDim.x + threadIdx.x;
      has[i] = place < count;
      some[i] = has[i] ? candidates[place] : Candidate{};
    }
    take(some, has);
  }
}

/// Of candidates, by a digit of their documents where they equal the threshold.
inline constexpr std::uint32_t kAbove = kDigits;     ///< those that are better
inline constexpr std::uint32_t kTied = kDigits + 1;  ///< those that equal it
inline constexpr std::uint32_t kTieCounts = kDigits + 2;

/// In shared memory.
struct Settling {
  std::uint32_t kept;                ///< in the team's first CTA: candidates that stay
  std::uint32_t own[2][kTieCounts];  ///< what the CTA counted, digit by digit by turns
  std::uint32_t all[kTieCounts];     ///< what the team did
};

/// Sums up what the team's CTAs counted, for each of them. Whole CTAs.
__device__ inline void add_counts(std::uint32_t (&own)[kTieCounts],
                                  std::uint32_t (&all)[kTieCounts], const Team& team) {
  team.sync();
  for (std::uint32_t i = threadIdx.x; i < kTieCounts; i += blockDim.x) {
    std::uint32_t sum = 0;
    for (std::uint32_t rank = 0; rank < team.size(); ++rank) sum += team.of(rank, own[i]);
    all[i] = sum;
  }
  __syncthreads();
}

/// Where more documents have the threshold's sum than the answer has room for: finds the last that
/// can be in it. Whole CTAs; a pass over the candidates for each digit of a docID, 4 at most.
/// Others of the team may still read memory.own until the next barrier of all.
__device__ inline void settle_ties(const Batch& batch, const Query& query, std::uint32_t count,
                                   Settling& memory, const Team& team) {
  const std::uint32_t threshold = Need(batch, query).threshold;
  const int top = (31 - __clz(static_cast<int>((batch.documents - 1) | 1))) / 8 * 8;
  std::uint32_t prefix = 0;
  std::uint32_t wanted = 0;
  for (int shift = top; shift >= 0; shift -= 8) {
    auto& own = memory.own[shift / 8 % 2];  // those of the digit before may be read still
    for (std::uint32_t i = threadIdx.x; i < kTieCounts; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const auto count_one = [&](const Candidate& candidate) {
      if (shift == top) {
        if (candidate.sum > threshold) atomicAdd(&own[kAbove], 1);
        if (candidate.sum == threshold) atomicAdd(&own[kTied], 1);
      }
      const bool same = shift == top || candidate.document >> (shift + 8) == prefix;
      if (candidate.sum == threshold && same) {
        atomicAdd(&own[candidate.document >> shift & (kDigits - 1)], 1);
      }
    };
    for_candidates(batch.candidates + query.candidates, count, team,
                   [&](const auto& some, const auto& has) {
#pragma unroll
                     for (std::uint32_t i = 0; i < kCandidatesAtOnce; ++i) {
                       if (has[i]) count_one(some[i]);
                     }
                   });
    add_counts(own, memory.all, team);
    if (shift == top) {
      const std::uint32_t above = memory.all[kAbove];
      if (above >= query.k || above + memory.all[kTied] <= query.k) return;
      wanted = query.k - above;
    }
    prefix = prefix << 8 | find_digit_from_bottom(memory.all, wanted);  // by each warp for itself
  }
  if (threadIdx.x == 0) {
    atomicMax(&batch.states[query.state].tie,
              static_cast<unsigned long long>(threshold) << 32 | ~prefix);
  }
}

/// Raises the threshold to what the candidates leave; each CTA of a team finds the same for itself,
/// and all have begun then. Whole CTAs.
__device__ inline void raise_to_candidates(const Batch& batch, const Query& query,
                                           std::uint32_t count, Settling& memory,
                                           const Team& team) {
  if (threadIdx.x == 0) memory.kept = 0;
  team.arrive();
  if (warp_id() == 0) raise_threshold(batch, query);
  team.await();
  __syncthreads();
  if (count > query.k && sums_are_exact(batch, query)) {
    settle_ties(batch, query, count, memory, team);
    __syncthreads();
  }
}

/// Adds the candidates that reach what is needed to `kept`, in any order, and how many they are to
/// memory.kept of the team's first CTA. `kept` may be `candidates` if the team is one CTA. Whole
/// CTAs, after raise_to_candidates() and before a barrier. Bound by reading 8 bytes a candidate.
__device__ inline void keep_needed(const Candidate* candidates, std::uint32_t count,
                                   const Need& need, Candidate* kept, Settling& memory,
                                   const Team& team) {
  std::uint32_t& kept_count = team.of(0, memory.kept);
  for_candidates(candidates, count, team, [&](const auto& some, const auto& has) {
    std::uint32_t groups[kCandidatesAtOnce];
    std::uint32_t total = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kCandidatesAtOnce; ++i) {
      const bool stays = has[i] && some[i].sum >= need.of(some[i].document);
      groups[i] = __ballot_sync(kWholeWarp, stays);
      total += __popc(groups[i]);
    }
    if (kept == candidates) __syncthreads();  // what is overwritten now was read
    if (total == 0) return;
    std::uint32_t place = 0;
    if (lane_id() == 0) place = atomicAdd(&kept_count, total);
    place = __shfl_sync(kWholeWarp, place, 0);
#pragma unroll
    for (std::uint32_t i = 0; i < kCandidatesAtOnce; ++i) {
      if (groups[i] >> lane_id() & 1) {
        kept[place + __popc(groups[i] & lanes_below())] = some[i];
      }
      place += __popc(groups[i]);
    }
  });
}

/// Raises the threshold and drops the candidates that miss it. Returns how many stay. A whole CTA.
__device__ inline std::uint32_t settle(const Batch& batch, const Query& query, Settling& memory) {
  QueryState& state = batch.states[query.state];
  const Team alone = Team::alone();
  const std::uint32_t count = min(state.candidates, query.capacity);
  if (threadIdx.x == 0 && state.candidates > query.capacity) state.overflow = 1;
  raise_to_candidates(batch, query, count, memory, alone);
  Candidate* const candidates = batch.candidates + query.candidates;
  keep_needed(candidates, count, Need(batch, query), candidates, memory, alone);
  __syncthreads();
  const std::uint32_t kept = memory.kept;
  if (threadIdx.x == 0) state.candidates = kept;
  return kept;
}

}  // namespace warpdex::gpu
