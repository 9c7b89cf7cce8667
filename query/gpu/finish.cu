// From candidates to answers: those that reach the last threshold survive, get their exact scores,
// and the k best are sorted and written where the host reads them.
#include <algorithm>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/emit.cuh"
#include "warpdex/query/gpu/kernels.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kSelectThreads = 512;
constexpr std::uint32_t kDigits = 256;

/// Whether sums in units are the scores themselves.
__device__ bool sums_are_scores(const Batch& batch, const Query& query) {
  return batch.form == ScoreForm::kImpact && query.slack == 0;
}

/// Work item: a query a CTA. Moves the candidates that reach the threshold to the front; where
/// their sums are their scores, they become keys at once. Bound by reading 8 bytes a candidate.
__global__ void __launch_bounds__(kThreads) gather_survivors(Batch batch) {
  __shared__ std::uint32_t kept;
  __shared__ std::uint32_t warp_kept[kWarps];
  const Query query = batch.finals[blockIdx.x];
  QueryState& state = batch.states[query.state];
  const std::uint32_t count = state.candidates;
  const std::uint32_t threshold = state.threshold;
  Candidate* const candidates = batch.candidates + query.candidates;
  const std::uint32_t warp = warp_id();
  const bool exact = sums_are_scores(batch, query);
  if (threadIdx.x == 0) kept = 0;
  const std::uint32_t end = min(count, query.capacity);
  for (std::uint32_t begin = 0; begin < end; begin += kThreads) {
    const std::uint32_t i = begin + threadIdx.x;
    Candidate candidate{};
    if (i < end) candidate = candidates[i];
    const bool keep = i < end && candidate.sum >= threshold;
    const std::uint32_t group = __ballot_sync(kWholeWarp, keep);
    if (lane_id() == 0) warp_kept[warp] = __popc(group);
    __syncthreads();  // all have read theirs: places up to begin + kThreads may be written
    std::uint32_t place = kept + __popc(group & ((1U << lane_id()) - 1));
    std::uint32_t total = 0;
    for (std::uint32_t other = 0; other < kWarps; ++other) {
      if (other < warp) place += warp_kept[other];
      total += warp_kept[other];
    }
    if (keep && exact) {
      batch.keys[query.candidates + place] =
          make_key(static_cast<float>(candidate.sum), candidate.document);
    } else if (keep) {
      candidates[place] = candidate;
    }
    __syncthreads();
    if (threadIdx.x == 0) kept += total;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  state.survivors = kept;
  state.overflow = count > query.capacity ? 1 : 0;
  if (batch.work != nullptr)
    atomicAdd(&batch.work->rescored, static_cast<unsigned long long>(kept));
}

/// Where `document` is in a list: its block, and its position there, or kNone. One warp.
template <CodecKind kCodec>
__device__ std::uint32_t find_in_list(const List& list, std::uint32_t document,
                                      device::WarpScratch& scratch, std::uint32_t& block) {
  block = 0;
  if (!(list.flags & kRaw)) {
    block = lower_bound_by_warp(list.last_docids, list.blocks, document);
    if (block >= list.blocks) return kNone;
  }
  std::uint32_t docids[4];
  read_docids<kCodec>(list, block, scratch, docids);
  std::uint32_t position = kNone;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (docids[i] == document) position = 4 * lane_id() + i;
  }
  return __reduce_min_sync(kWholeWarp, position);
}

/// Work item: a survivor a warp; blockIdx.y shares a query's out. Adds its terms' scores in the
/// canonical order, by the operations of the CPU engine. Bound by the latency of about four
/// dependent reads a term.
template <CodecKind kCodec>
__global__ void __launch_bounds__(kThreads) rescore(Batch batch) {
  __shared__ device::WarpScratch scratches[kWarps];
  const Query& query = batch.finals[blockIdx.x];
  if (sums_are_scores(batch, query)) return;
  const std::uint32_t survivors = batch.states[query.state].survivors;
  const std::uint32_t warp = warp_id();
  device::WarpScratch& scratch = scratches[warp];
  for (std::uint32_t i = blockIdx.y * kWarps + warp; i < survivors; i += gridDim.y * kWarps) {
    const std::size_t place = std::size_t{query.candidates} + i;
    const std::uint32_t document = batch.candidates[place].document;
    const std::uint32_t length = batch.lengths[document];
    float score = 0;
    for (std::uint32_t term = 0; term < query.scoring; ++term) {
      const List& list = batch.lists[query.first_list + term];
      std::uint32_t block = 0;
      const std::uint32_t position = find_in_list<kCodec>(list, document, scratch, block);
      if (position == kNone) continue;
      const std::uint32_t value = read_value<kCodec>(list, block, position, scratch);
      score += exact_score(batch.form, list, value + 1, length);
    }
    if (batch.static_scores != nullptr) score += batch.static_scores[document];
    if (lane_id() == 0) batch.keys[place] = make_key(score, document);
  }
}

/// The k-th largest of `count` keys, which are all different: digit by digit. A whole CTA. O(8 n).
__device__ std::uint64_t find_kth(const unsigned long long* keys, std::uint32_t count,
                                  std::uint32_t k, std::uint32_t* bins) {
  std::uint64_t prefix = 0;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (std::uint32_t i = threadIdx.x; i < kDigits; i += kSelectThreads) bins[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kSelectThreads) {
      const std::uint64_t key = keys[i];
      const bool same = shift == 56 || key >> (shift + 8) == prefix;
      if (same) atomicAdd(&bins[key >> shift & (kDigits - 1)], 1);
    }
    __syncthreads();
    std::uint32_t digit = kDigits - 1;  // all threads walk the same way
    while (digit > 0 && bins[digit] < k) k -= bins[digit--];
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
      for (std::uint32_t i = threadIdx.x; i < size / 2; i += kSelectThreads) {
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

/// Work item: a query a CTA. Writes its k best, best first, to the host's memory. Shared memory:
/// `room` keys. Bound by sorting: log2(n)^2 / 2 steps.
__global__ void __launch_bounds__(kSelectThreads) write_hits(Batch batch, std::uint32_t room) {
  extern __shared__ unsigned long long sorted[];
  __shared__ std::uint32_t bins[kDigits];
  __shared__ std::uint32_t taken;
  const Query query = batch.finals[blockIdx.x];
  QueryState& state = batch.states[query.state];
  const std::uint32_t survivors = state.survivors;
  const std::uint32_t hits = min(survivors, query.k);
  const unsigned long long* const keys = batch.keys + query.candidates;
  std::uint64_t least = 0;
  if (survivors > room) least = find_kth(keys, survivors, query.k, bins);
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < survivors; i += kSelectThreads) {
    const unsigned long long key = keys[i];
    if (key >= least) sorted[atomicAdd(&taken, 1)] = key;
  }
  __syncthreads();
  std::uint32_t size = 1;
  while (size < taken) size *= 2;
  for (std::uint32_t i = taken + threadIdx.x; i < size; i += kSelectThreads) sorted[i] = 0;
  sort_keys(sorted, size);
  for (std::uint32_t i = threadIdx.x; i < hits; i += kSelectThreads) {
    const unsigned long long key = sorted[i];
    batch.hits[std::size_t{query.slot} * batch.k + i] = {
        kNone - static_cast<std::uint32_t>(key),
        __uint_as_float(static_cast<std::uint32_t>(key >> 32))};
  }
  if (threadIdx.x == 0) {
    batch.answers[query.slot] = {hits, state.overflow, state.fell_back, 0, state.matches};
  }
}

template <CodecKind kCodec>
void launch(const Batch& batch, cudaStream_t stream) {
  // Enough CTAs to fill the GPU, if a query has that many survivors.
  const std::uint32_t share = std::clamp(1024U / batch.state_count, 1U, 64U);
  rescore<kCodec><<<dim3(batch.state_count, share), kThreads, 0, stream>>>(batch);
  check_launch("rescore");
}

}  // namespace

void launch_gather(const Batch& batch, cudaStream_t stream) {
  gather_survivors<<<batch.state_count, kThreads, 0, stream>>>(batch);
  check_launch("gather_survivors");
}

void launch_rescore(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  switch (codec) {
    case CodecKind::kBitpack: return launch<CodecKind::kBitpack>(batch, stream);
    case CodecKind::kPfor: return launch<CodecKind::kPfor>(batch, stream);
    case CodecKind::kPforBlock: return launch<CodecKind::kPforBlock>(batch, stream);
    case CodecKind::kRice: return launch<CodecKind::kRice>(batch, stream);
  }
}

void launch_select(const Batch& batch, std::uint32_t most_k, cudaStream_t stream) {
  std::uint32_t room = 1024;
  while (room < most_k + most_k / 4) room *= 2;
  const std::size_t bytes = room * sizeof(unsigned long long);
  check_cuda(cudaFuncSetAttribute(write_hits, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "cudaFuncSetAttribute");
  write_hits<<<batch.state_count, kSelectThreads, bytes, stream>>>(batch, room);
  check_launch("write_hits");
}

}  // namespace warpdex::gpu
