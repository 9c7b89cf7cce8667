// From candidates to answers: those that reach the last threshold survive, get their exact scores,
// and the k best are sorted and written where the host reads them.
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/dispatch.cuh"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/launch.cuh"
#include "warpdex/query/gpu/lookup.cuh"
#include "warpdex/query/gpu/settle.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = kQueryThreads;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// Candidates that are sorted without a look at the threshold.
constexpr std::uint32_t kFewToSort = 256;
/// Of 32 survivors and a term.
constexpr std::uint32_t kScoreRows = kMostLists;

struct RescoreMemory {
  LookupMemory lookups[kWarps];
  float scores[kScoreRows][kWarp];
};

/// Whether sums in units are the scores themselves.
__device__ bool sums_are_scores(const Batch& batch, const Query& query) {
  return batch.form == ScoreForm::kImpact && query.slack == 0;
}

/// Makes keys of sums that are scores. A whole CTA.
__device__ void sums_to_keys(const Batch& batch, const Query& query, std::uint32_t survivors) {
  for (std::uint32_t i = threadIdx.x; i < survivors; i += kThreads) {
    const std::size_t place = std::size_t{query.candidates} + i;
    const Candidate candidate = batch.candidates[place];
    batch.keys[place] = make_key(static_cast<float>(candidate.sum), candidate.document);
  }
}

/// What a posting adds to the scores of the documents of a warp's lanes, 0 where there is none.
template <CodecKind kCodec, int kLevels>
__device__ float score_of_term(const Batch& batch, std::uint32_t list_index, std::size_t place,
                               bool has, LookupMemory& memory) {
  const List& list = batch.lists[list_index];
  const std::uint32_t document = has ? batch.candidates[place].document : 0;
  const Spot spot = find_spot<kCodec, kLevels>(batch, list_index, has, document, memory);
  const std::uint32_t value = value_at<kCodec, kLevels>(batch, list_index, spot, memory);
  return value == kNone ? 0.F : exact_score(batch.form, list, value + 1, batch.lengths[document]);
}

/// Survivors that a warp looks up together, in a list: fewer than its lanes if there are warps
/// enough, since the blocks that they are in are decoded one after the other.
__device__ std::uint32_t group_size(std::uint32_t survivors, std::uint32_t lists) {
  std::uint32_t size = kWarp;
  while (size > 1 && (survivors + size / 2 - 1) / (size / 2) * lists <= kWarps) size /= 2;
  return size;
}

/// Makes keys of exact scores. Warps find what a term adds to a group of survivors; then these are
/// added up in the canonical order, by the operations of the CPU engine. A whole CTA.
template <CodecKind kCodec, int kLevels>
__device__ void rescore(const Batch& batch, const Query& query, std::uint32_t survivors,
                        RescoreMemory& memory) {
  const std::uint32_t warp = warp_id();
  const std::uint32_t size = group_size(survivors, query.scoring);
  const std::uint32_t groups_at_once = kScoreRows / query.scoring;
  const std::uint32_t groups = (survivors + size - 1) / size;
  for (std::uint32_t begin = 0; begin < groups; begin += groups_at_once) {
    const std::uint32_t here = min(groups_at_once, groups - begin);
    const auto place_of = [&](std::uint32_t group) { return (begin + group) * size + lane_id(); };
    const auto is_taken = [&](std::uint32_t place) {
      return lane_id() < size && place < survivors;
    };
    for (std::uint32_t row = warp; row < here * query.scoring; row += kWarps) {
      const std::uint32_t place = place_of(row / query.scoring);
      memory.scores[row][lane_id()] = score_of_term<kCodec, kLevels>(
          batch, query.first_list + row % query.scoring, std::size_t{query.candidates} + place,
          is_taken(place), memory.lookups[warp]);
    }
    __syncthreads();
    for (std::uint32_t group = warp; group < here; group += kWarps) {
      if (!is_taken(place_of(group))) continue;
      const std::size_t place = std::size_t{query.candidates} + place_of(group);
      const std::uint32_t document = batch.candidates[place].document;
      float score = 0;
      for (std::uint32_t term = 0; term < query.scoring; ++term) {
        score += memory.scores[group * query.scoring + term][lane_id()];
      }
      if (batch.static_scores != nullptr) score += batch.static_scores[document];
      batch.keys[place] = make_key(score, document);
    }
    __syncthreads();
  }
}

/// The k-th largest of `count` keys, which are all different: digit by digit. A whole CTA. O(8 n).
__device__ std::uint64_t find_kth(const unsigned long long* keys, std::uint32_t count,
                                  std::uint32_t k, std::uint32_t* bins) {
  std::uint64_t prefix = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (std::uint32_t i = threadIdx.x; i < kDigits; i += kThreads) bins[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
      const std::uint64_t key = keys[i];
      const bool same = shift == 56 || key >> (shift + 8) == prefix;
      if (same) atomicAdd(&bins[key >> shift & (kDigits - 1)], 1);
    }
    __syncthreads();
    const std::uint32_t digit = find_digit_from_top(bins, k);  // by each warp for itself
    prefix = prefix << 8 | digit;
    __syncthreads();
  }
  return prefix;
}

/// Sorts `size` (a power of two) keys in shared memory, the largest first: bitonic.
__device__ void sort_keys(unsigned long long* keys, std::uint32_t size) {
  for (std::uint32_t run = 2; run <= size; run *= 2) {
    for (std::uint32_t step = run / 2; step > 0; step /= 2) {
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < size / 2; i += kThreads) {
        const std::uint32_t low = 2 * i - (i & (step - 1));
        const unsigned long long a = keys[low];
        const unsigned long long b = keys[low + step];
        if ((a < b) == ((low & run) == 0)) {
          keys[low] = b;
          keys[low + step] = a;
        }
      }
    }
  }
  __syncthreads();
}

/// Writes the query's k best, best first, to the host's memory. A whole CTA; log2(n)^2 / 2 steps.
__device__ void write_hits(const Batch& batch, const Query& query, std::uint32_t survivors,
                           std::uint32_t* bins, std::uint32_t& taken, std::uint32_t room,
                           unsigned long long* sorted) {
  const unsigned long long* const keys = batch.keys + query.candidates;
  std::uint64_t least = 0;
  if (survivors > room) least = find_kth(keys, survivors, query.k, bins);
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < survivors; i += kThreads) {
    const unsigned long long key = keys[i];
    if (key >= least) sorted[atomicAdd(&taken, 1)] = key;
  }
  __syncthreads();
  std::uint32_t size = 1;
  while (size < taken) size *= 2;
  for (std::uint32_t i = taken + threadIdx.x; i < size; i += kThreads) sorted[i] = 0;
  sort_keys(sorted, size);
  for (std::uint32_t i = threadIdx.x; i < min(survivors, query.k); i += kThreads) {
    const unsigned long long key = sorted[i];
    batch.hits[std::size_t{query.slot} * batch.k + i] = {
        kNone - static_cast<std::uint32_t>(key),
        __uint_as_float(static_cast<std::uint32_t>(key >> 32))};
  }
}

/// Work item: a query a CTA. Shared memory: 26 KiB and `room` keys. Bound by the latency of looking
/// survivors up, or of sorting.
template <CodecKind kCodec, int kLevels>
__global__ void __launch_bounds__(kThreads, 3) finish(Batch batch, std::uint32_t room) {
  wait_for_previous();
  extern __shared__ unsigned long long sorted[];
  __shared__ __align__(16) RescoreMemory rescoring;
  __shared__ Settling settling;
  __shared__ std::uint32_t taken;
  const Query& query = batch.finals[blockIdx.x];
  QueryState& state = batch.states[query.state];
  // A few are looked up, or sorted, as fast as the threshold would be raised.
  const std::uint32_t few = sums_are_scores(batch, query) ? kFewToSort : kWarp;
  const std::uint32_t count = state.candidates;
  __syncthreads();
  const std::uint32_t survivors =
      count <= min(few, query.capacity) ? count : settle(batch, query, settling);
  __syncthreads();
  if (sums_are_scores(batch, query)) {
    sums_to_keys(batch, query, survivors);
  } else {
    rescore<kCodec, kLevels>(batch, query, survivors, rescoring);
  }
  __syncthreads();
  write_hits(batch, query, survivors, settling.counts, taken, room, sorted);
  if (threadIdx.x != 0) return;
  Answer answer{min(survivors, query.k), state.overflow, state.fell_back, 0, state.matches};
  if (query.flags & kOneList) {
    answer.matches = batch.lists[query.first_list].size;
    answer.fell_back = answer.matches < query.least ? 1 : 0;
  }
  batch.answers[query.slot] = answer;
  if (batch.work != nullptr) {
    atomicAdd(&batch.work->rescored, static_cast<unsigned long long>(survivors));
  }
}

template <CodecKind kCodec, int kLevels>
void launch(const Batch& batch, std::uint32_t most_k, cudaStream_t stream) {
  std::uint32_t room = 1024;
  while (room < most_k + most_k / 4) room *= 2;
  const std::size_t bytes = room * sizeof(unsigned long long);
  const auto kernel = finish<kCodec, kLevels>;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "cudaFuncSetAttribute");
  gpu::launch("finish", kernel, batch.state_count, kThreads, bytes, stream, batch, room);
}

}  // namespace

void launch_finish(const Batch& batch, CodecKind codec, std::uint32_t most_k, cudaStream_t stream) {
  with_codec(batch, codec, [&]<CodecKind kCodec, int kLevels>() {
    launch<kCodec, kLevels>(batch, most_k, stream);
  });
}

}  // namespace warpdex::gpu
