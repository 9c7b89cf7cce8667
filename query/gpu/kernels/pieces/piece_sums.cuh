// Reads the sums of a piece: documents that reach the threshold become candidates. Internal to
// or_pieces.cu.
#pragma once

#include "gpu/device/candidates.cuh"
#include "gpu/kernels/pieces/piece_memory.cuh"

namespace warpdex::gpu {
namespace or_pieces {

/// The bin of a sum less what rounding may have added: lengths are exact here, so that is two units
/// of a posting at most.
__device__ inline std::uint32_t bin_of(const Query& query, std::uint32_t sum) {
  const std::uint32_t slack = 2 * query.scoring_lists;
  return min((sum - min(sum, slack)) >> query.bin_shift, kHistogramBins - 1);
}

__device__ inline std::uint32_t* bins_of(const OrRounds& batch, const Query& query) {
  return batch.histograms + std::size_t{query.state} * kHistogramBins;
}

/// Writes the candidate number `place`, if there is room.
__device__ inline void put_candidate(const OrRounds& batch, const Query& query, std::uint32_t place,
                                     const Candidate& candidate) {
  if (place >= query.candidate_capacity) return;
  batch.candidates[std::size_t{query.first_candidate} + place] = candidate;
  atomicAdd(bins_of(batch, query) + bin_of(query, candidate.sum), 1);
}

/// The highest bin that, with those above, holds `wanted` documents; 0 if there is none. One whole
/// warp. `bins` lie in shared memory.
__device__ inline std::uint32_t find_bin(const std::uint32_t (&bins)[kHistogramBins],
                                         std::uint32_t wanted) {
  std::uint32_t above = 0;
  for (std::uint32_t end = kHistogramBins; end > 0; end -= kWarp) {
    const std::uint32_t sum = above + inclusive_sum(bins[end - 1 - lane_id()]);
    const std::uint32_t reached = __ballot_sync(kWholeWarp, sum >= wanted);
    if (reached != 0) return end - static_cast<std::uint32_t>(__ffs(static_cast<int>(reached)));
    above = __shfl_sync(kWholeWarp, sum, kWarp - 1);
  }
  return 0;
}

/// Calls use(has, candidate) for the documents of a piece whose sums reach `need`, 1 or more. Whole
/// warps.
template <class Use>
__device__ inline void for_reaching(const OrRounds& batch, std::uint32_t begin, std::uint32_t size,
                                    std::uint32_t need, const Memory& memory, Use use) {
  for (std::uint32_t i = threadIdx.x; i < size / 4; i += blockDim.x) {
    const uint4 four = reinterpret_cast<const uint4*>(memory.sums)[i];
    const std::uint32_t sums[4] = {four.x & 0xFFFF, four.y & 0xFFFF, four.z & 0xFFFF,
                                   four.w & 0xFFFF};
    const bool any = max(max(sums[0], sums[1]), max(sums[2], sums[3])) >= need;
    if (!__any_sync(kWholeWarp, any)) continue;
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      const std::uint32_t document = begin + 4 * i + j;
      const bool has =
          sums[j] >= need && document < batch.documents && !is_removed(batch, document);
      use(has, Candidate{document, sums[j]});
    }
  }
}

/// Counts the calls with `has` in a counter of the CTA. A whole warp. Returns the number of the
/// lane's.
__device__ inline std::uint32_t count_one(bool has, std::uint32_t& counter) {
  const std::uint32_t group = __ballot_sync(kWholeWarp, has);
  std::uint32_t first = 0;
  if (lane_id() == 0 && group != 0) first = atomicAdd(&counter, __popc(group));
  return __shfl_sync(kWholeWarp, first, 0) + __popc(group & ((1U << lane_id()) - 1));
}

/// The documents of a piece that reach the threshold become candidates. The threshold rises each
/// time that there are k more. A whole CTA.
__device__ inline void collect(const OrRounds& batch, const Query& query, std::uint32_t begin,
                               std::uint32_t size, Memory& memory) {
  const std::uint32_t need = max(Threshold(batch, query).sum, 1U);
  for_reaching(batch, begin, size, need, memory,
               [&](bool has, const Candidate&) { count_one(has, memory.found); });
  __syncthreads();
  const std::uint32_t found = memory.found;
  if (found == 0) return;
  if (threadIdx.x == 0) {
    memory.place = atomicAdd(&batch.states[query.state].candidates, found);
  }
  __syncthreads();
  const std::uint32_t first = memory.place;
  __syncthreads();  // all have read it
  for_reaching(batch, begin, size, need, memory, [&](bool has, const Candidate& candidate) {
    const std::uint32_t place = count_one(has, memory.place);
    if (has) put_candidate(batch, query, place, candidate);
  });
  if (first / query.k == (first + found) / query.k) return;
  __syncthreads();
  if (warp_id() == 0) raise_threshold(batch, query);
}

}  // namespace or_pieces
}  // namespace warpdex::gpu
