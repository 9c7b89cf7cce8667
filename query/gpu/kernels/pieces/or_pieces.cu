// A long query of OR by BM25: its lists have very many postings, and many of its documents are
// wanted, so nearly all postings must be read. Documents are taken in pieces. A CTA adds up a piece
// in shared memory; each of its warps takes whole lists, so none waits for others before the end.
//
// Some pieces are added up beforehand, as a sample. Their sums tell which threshold twice as many
// documents should reach as are wanted. This is a guess: where too few reach it, the query runs
// again, in rounds.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/kernels/pieces/or_pieces.hpp"
#include "gpu/kernels/pieces/piece_adder.cuh"
#include "gpu/kernels/pieces/piece_parts.cuh"
#include "gpu/kernels/pieces/piece_sums.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"

namespace warpdex::gpu {
namespace {

using namespace or_pieces;

/// So many times as many documents as are wanted should reach the guessed threshold.
constexpr std::uint32_t kSampleFactor = 2;
/// And so many more of the sample: a small sample varies.
constexpr std::uint32_t kSampleSpare = 64;

/// The pieces of a kernel: CTA i takes `size` documents from i * step + first on.
struct Pieces {
  std::uint32_t size;
  std::uint32_t step;
  std::uint32_t first;
  std::uint32_t wanted;  ///< of a sample: documents that should reach the guessed threshold

  __device__ std::uint32_t begin() const { return blockIdx.x * step + first; }
};

/// The blocks of a list that meet a piece. One thread.
__device__ ListShare find_share(const OrRounds& batch, const List& list, std::uint32_t begin,
                                std::uint32_t size) {
  if (list.flags & kRaw) return {0, 1};
  const std::uint32_t* const row = batch.first_blocks + list.tile_row + (begin >> kTileShift);
  const std::uint32_t first = row[0];
  if (first >= list.blocks) return {0, 0};
  const std::uint32_t more = min(row[1], list.blocks - 1) - first;
  const std::uint32_t begins = lower_bound_by_parts<8>(list.last_docids, first, more, begin);
  const std::uint32_t ends =
      lower_bound_by_parts<8>(list.last_docids, first, more, begin + size - 1);
  return {begins, ends - begins + 1};
}

/// Adds up all lists of a piece. A whole CTA; ends with a barrier.
__device__ void add_lists(const OrRounds& batch, const Query& query, std::uint32_t begin,
                          std::uint32_t size, Memory& memory) {
  if (threadIdx.x < query.list_count) {
    const List& list = batch.lists[query.first_list + threadIdx.x];
    memory.lists[threadIdx.x] = find_share(batch, list, begin, size);
  }
  prepare(batch, begin, size, memory);
  __syncthreads();
  PieceAdder adder(batch, query, begin, size, memory);
  for (;;) {
    std::uint32_t number = 0;
    if (lane_id() == 0) number = atomicAdd(&memory.taken, 1);
    number = __shfl_sync(kWholeWarp, number, 0);
    if (number >= query.scoring_lists) break;
    adder.add_list(query.scoring_lists - 1 - number);  // the longest lists first
  }
  __syncthreads();
  if (query.list_count == query.scoring_lists) return;
  for (std::uint32_t i = query.scoring_lists + warp_id(); i < query.list_count; i += kWarps) {
    adder.erase_list(i);
  }
  __syncthreads();
}

/// Whether this CTA is the last one that counts itself. A whole CTA.
__device__ bool is_last_cta(std::uint32_t& counter, Memory& memory) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) memory.is_last = atomicAdd(&counter, 1) + 1 == gridDim.x;
  __syncthreads();
  __threadfence();
  return memory.is_last;
}

/// Adds the sums of a piece to the histogram of the query. A whole CTA.
__device__ void count_sums(const OrRounds& batch, const Query& query, std::uint32_t begin,
                           std::uint32_t size, Memory& memory) {
  for (std::uint32_t i = threadIdx.x; i < kHistogramBins; i += kThreads) memory.bins[i] = 0;
  __syncthreads();
  for_reaching(batch, begin, size, 1, memory, [&](bool has, const Candidate& candidate) {
    if (has) atomicAdd(&memory.bins[bin_of(query, candidate.sum)], 1);
  });
  __syncthreads();
  std::uint32_t* const all = bins_of(batch, query);
  for (std::uint32_t i = threadIdx.x; i < kHistogramBins; i += kThreads) {
    if (memory.bins[i] != 0) atomicAdd(all + i, memory.bins[i]);
  }
}

/// Copies the histogram of the query. A whole CTA; ends with a barrier.
__device__ void copy_bins(const OrRounds& batch, const Query& query, Memory& memory) {
  const std::uint32_t* const all = bins_of(batch, query);
  for (std::uint32_t i = threadIdx.x; i < kHistogramBins; i += kThreads) {
    memory.bins[i] = __ldcg(all + i);
  }
  __syncthreads();
}

/// Sets the threshold by the histogram of the sample, which it clears, unless the seeds give a
/// better one. A whole CTA.
__device__ void guess_threshold(const OrRounds& batch, const Query& query, std::uint32_t wanted,
                                Memory& memory) {
  copy_bins(batch, query, memory);
  std::uint32_t* const all = bins_of(batch, query);
  for (std::uint32_t i = threadIdx.x; i < kHistogramBins; i += kThreads) all[i] = 0;
  if (warp_id() != 0) return;
  const std::uint32_t threshold = find_bin(memory.bins, wanted) << query.bin_shift;
  if (lane_id() == 0 && threshold > query.seed_threshold) {
    batch.states[query.state].threshold = threshold;
  }
}

/// Marks the answer as unusable if too few documents have reached the threshold that was guessed. A
/// whole CTA.
__device__ void check_guess(const OrRounds& batch, const Query& query, Memory& memory) {
  QueryState& state = batch.states[query.state];
  copy_bins(batch, query, memory);
  if (warp_id() != 0) return;
  const std::uint32_t reached = find_bin(memory.bins, query.k) << query.bin_shift;
  if (lane_id() != 0 || reached >= current_threshold(state)) return;
  state.overflow = 1;
  state.threshold = 0;
}

/// Work item: a piece of the sample, a CTA of 640 threads; the last one sets the threshold. Shared
/// memory and bound: as add_pieces.
__global__ void __launch_bounds__(kThreads, kCtas) sample_pieces(OrRounds batch, Pieces pieces) {
  wait_for_previous();
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory*>(bytes);
  const Query& query = batch.queries[batch.and_queries];
  add_lists(batch, query, pieces.begin(), pieces.size, memory);
  count_sums(batch, query, pieces.begin(), pieces.size, memory);
  if (!is_last_cta(counters_of(batch).sampled, memory)) return;
  guess_threshold(batch, query, pieces.wanted, memory);
}

/// Work item: a piece, a CTA of 640 threads; the last one checks the threshold. Shared memory:
/// Memory, 85 KiB. Bound by shared memory and by instruction issue, about equally: some 110 warp
/// instructions for a block of packed docIDs, and 165 for a bit set.
__global__ void __launch_bounds__(kThreads, kCtas) add_pieces(OrRounds batch, Pieces pieces) {
  wait_for_previous();
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory*>(bytes);
  const Query& query = batch.queries[batch.and_queries];
  const std::uint32_t begin = pieces.begin();
  if (batch.work != nullptr && threadIdx.x == 0 && begin % kTileDocuments == 0) {
    atomicAdd(&batch.work->tiles, 1ULL);
  }
  add_lists(batch, query, begin, pieces.size, memory);
  collect(batch, query, begin, pieces.size, memory);
  if (is_last_cta(counters_of(batch).added, memory)) check_guess(batch, query, memory);
}

}  // namespace

void launch_or_pieces(const OrRounds& batch, cudaStream_t stream) {
  constexpr std::size_t kBytes = sizeof(Memory);
  constexpr std::size_t kMultiprocessorBytes = 228 << 10;
  constexpr std::size_t kCtaBytes = 1 << 10;  // that the system takes
  static_assert(kCtas * (kBytes + kCtaBytes) <= kMultiprocessorBytes);
  allow_all_shared_memory(reinterpret_cast<const void*>(sample_pieces));
  allow_all_shared_memory(reinterpret_cast<const void*>(add_pieces));
  static const std::uint32_t resident = resident_ctas(add_pieces, kThreads, kBytes);
  const std::uint32_t size = piece_size(batch.documents, resident);
  const std::uint32_t pieces = (batch.documents + size - 1) / size;
  const std::uint32_t samples = pieces / kSampleStep;
  if (samples > 0) {
    const std::uint32_t part = size / kSampleParts;
    const std::uint64_t sampled = std::uint64_t{samples} * part;
    const auto wanted =
        static_cast<std::uint32_t>(kSampleFactor * sampled * batch.k / batch.documents);
    const Pieces sample{part, kSampleStep * size, kSampleStep / 2 * size, wanted + kSampleSpare};
    launch("sample_pieces", sample_pieces, samples, kThreads, kBytes, stream, batch, sample);
  }
  const Pieces all{size, size, 0, 0};
  launch("add_pieces", add_pieces, pieces, kThreads, kBytes, stream, batch, all);
}

}  // namespace warpdex::gpu
