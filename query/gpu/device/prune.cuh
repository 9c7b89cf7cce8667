// Raises a query's threshold by its candidates, and drops the candidates below it. Internal.
#pragma once

#include "gpu/device/candidates.cuh"
#include "gpu/device/digits.cuh"
#include "gpu/device/team.cuh"

namespace warpdex::gpu {

/// Threads of a CTA that has a query to itself.
inline constexpr std::uint32_t kQueryThreads = 512;

/// Discards what AND found for a query that OR will answer. A whole CTA. Other CTAs may call
/// or_is_wanted() at the same time: it is true before and after.
__device__ inline void start_over(const Batch& batch, const Query& query) {
  std::uint32_t* const bins = batch.histograms + std::size_t{query.state} * kHistogramBins;
  for (std::uint32_t i = threadIdx.x; i < kHistogramBins; i += blockDim.x) bins[i] = 0;
  if (threadIdx.x != 0) return;
  QueryState& state = batch.states[query.state];
  state.candidates = 0;
  state.matches = 0;
  state.fell_back = 1;
}

/// Candidates that a thread reads together.
inline constexpr std::uint32_t kCandidatesAtOnce = 4;

/// Shares candidates out to the CTAs of a team and their threads. Each thread calls take(some, has)
/// with kCandidatesAtOnce of them at a time; has[i] says whether some[i] exists. A whole CTA.
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

/// Counters of candidates. The first kDigits count those whose sum equals the threshold, by a digit
/// of their docIDs. Two more follow.
inline constexpr std::uint32_t kAbove = kDigits;     ///< candidates above the threshold
inline constexpr std::uint32_t kTied = kDigits + 1;  ///< candidates that equal it
inline constexpr std::uint32_t kTieCounts = kDigits + 2;

/// In shared memory.
struct PruneMemory {
  std::uint32_t kept;                ///< candidates that stay; used in the team's first CTA
  std::uint32_t own[2][kTieCounts];  ///< the CTA's counts; digits use the two sets in turn
  /// The team's counts. Four are read at once, so these share no 16 bytes with others.
  alignas(16) std::uint32_t all[kTieCounts];
};

/// Adds up the counts of the team's CTAs. Each CTA gets the sums. Whole CTAs.
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

/// More documents may have exactly the threshold's sum than the answer has room for. Then this
/// finds the last docID that can be in the answer, and stores it as the tie. Whole CTAs; one pass
/// over the candidates for each digit of a docID, 4 at most. Other CTAs of the team may still read
/// memory.own until the team's next barrier.
__device__ inline void find_last_tied(const Batch& batch, const Query& query, std::uint32_t count,
                                      PruneMemory& memory, const Team& team) {
  const std::uint32_t threshold = Threshold(batch, query).sum;
  const int top = (31 - __clz(static_cast<int>((batch.documents - 1) | 1))) / 8 * 8;
  std::uint32_t prefix = 0;
  std::uint32_t wanted = 0;
  for (int shift = top; shift >= 0; shift -= 8) {
    auto& own = memory.own[shift / 8 % 2];  // other CTAs may still read the other set
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
    for_candidates(batch.candidates + query.first_candidate, count, team,
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

/// Raises the threshold, and the tie, by all candidates. Each CTA of a team does this for itself
/// with the same result. When it returns, all CTAs of the team have started. Whole CTAs.
__device__ inline void update_threshold(const Batch& batch, const Query& query, std::uint32_t count,
                                        PruneMemory& memory, const Team& team) {
  if (threadIdx.x == 0) memory.kept = 0;
  team.arrive();
  if (warp_id() == 0) raise_threshold(batch, query);
  team.await();
  __syncthreads();
  if (count > query.k && sums_are_exact(batch, query)) {
    find_last_tied(batch, query, count, memory, team);
    __syncthreads();
  }
}

/// Writes the candidates that reach the threshold to `kept`, in any order, and adds their number to
/// memory.kept of the team's first CTA. If the team is a single CTA, `kept` may be `candidates`.
/// Whole CTAs, after update_threshold(); a barrier must follow. Bound by reading 8 bytes a
/// candidate.
__device__ inline void keep_reaching(const Candidate* candidates, std::uint32_t count,
                                     const Threshold& need, Candidate* kept, PruneMemory& memory,
                                     const Team& team) {
  std::uint32_t& kept_count = team.of(0, memory.kept);
  for_candidates(candidates, count, team, [&](const auto& some, const auto& has) {
    std::uint32_t groups[kCandidatesAtOnce];
    std::uint32_t total = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kCandidatesAtOnce; ++i) {
      const bool stays = has[i] && some[i].sum >= need.at(some[i].document);
      groups[i] = __ballot_sync(kWholeWarp, stays);
      total += __popc(groups[i]);
    }
    if (kept == candidates) __syncthreads();  // all have read what is overwritten now
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

/// Raises the threshold and drops the candidates below it. Returns how many stay. A whole CTA.
__device__ inline std::uint32_t prune_candidates(const Batch& batch, const Query& query,
                                                 PruneMemory& memory) {
  QueryState& state = batch.states[query.state];
  const Team alone = Team::alone();
  const std::uint32_t count = min(state.candidates, query.candidate_capacity);
  if (threadIdx.x == 0 && state.candidates > query.candidate_capacity) state.overflow = 1;
  update_threshold(batch, query, count, memory, alone);
  Candidate* const candidates = batch.candidates + query.first_candidate;
  keep_reaching(candidates, count, Threshold(batch, query), candidates, memory, alone);
  __syncthreads();
  const std::uint32_t kept = memory.kept;
  if (threadIdx.x == 0) state.candidates = kept;
  return kept;
}

}  // namespace warpdex::gpu
