// Exact scores where few queries have many survivors and many lists, as k 10,000 of 64 terms has,
// and those of huge queries: all multiprocessors share them. `finish` sorts them.
#include <algorithm>

#include "gpu/device/digits.cuh"
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/prune.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/rescore.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = kRescoreThreads;

/// Where the survivors' documents lie between the two kernels: in the memory of the keys. The keys
/// lie in that of the candidates.
__device__ std::uint32_t* documents_of(const FinishBatch& batch, const Query& query) {
  return reinterpret_cast<std::uint32_t*>(batch.keys + query.first_candidate);
}

/// Writes the documents of candidates to `ordered`, sorted into 256 ranges of docIDs, so that
/// neighbours share blocks. `places` is shared memory. A whole CTA.
__device__ void order_by_range(const Candidate* candidates, std::uint32_t count,
                               std::uint32_t documents, std::uint32_t* ordered,
                               std::uint32_t (&places)[kDigits]) {
  const int bits = 32 - __clz(static_cast<int>((documents - 1) | 1));
  const int shift = max(bits - 8, 0);
  for (std::uint32_t i = threadIdx.x; i < kDigits; i += kThreads) places[i] = 0;
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    atomicAdd(&places[candidates[i].document >> shift], 1);
  }
  __syncthreads();
  if (warp_id() == 0) make_starts(places);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const std::uint32_t document = candidates[i].document;
    ordered[atomicAdd(&places[document >> shift], 1)] = document;
  }
}

/// Work item: a query, a CTA of 512 threads. Drops the candidates below the threshold and orders
/// the documents of the others. Shared memory: 4 KiB. Bound by the latency of reading candidates.
__global__ void __launch_bounds__(kThreads) order_survivors(FinishBatch batch) {
  wait_for_previous();
  __shared__ PruneMemory prune_memory;
  __shared__ std::uint32_t places[kDigits];
  const Query& query = batch.final_queries[blockIdx.x];
  if (query.k == 0) return;  // no kernel runs for it
  const std::uint32_t count = prune_candidates(batch, query, prune_memory);
  if (sums_are_scores(batch, query)) return;
  order_by_range(batch.candidates + query.first_candidate, count, batch.documents,
                 documents_of(batch, query), places);
}

/// Work item: 32 survivors of a query, a CTA of 512 threads, which takes several. Shared memory:
/// RescoreMemory, 24 KiB. Bound by the latency of lookups.
template <CodecKind kCodec, LaneLists kLists>
__global__ void __launch_bounds__(kThreads, 2) rescore_survivors(FinishBatch batch) {
  wait_for_previous();
  __shared__ RescoreMemory memory;
  const Query& query = batch.final_queries[blockIdx.y];
  if (query.k == 0 || sums_are_scores(batch, query)) return;
  const std::uint32_t count = batch.states[query.state].candidates;
  const std::uint32_t* const documents = documents_of(batch, query);
  Key* const keys = keys_beside(batch, query);
  for (std::uint32_t begin = blockIdx.x * kWarp; begin < count; begin += gridDim.x * kWarp) {
    rescore<kCodec, LookupGoal::kLatency, kLists, Spread::kApart>(
        batch, query, documents + begin, min(kWarp, count - begin), keys + begin, memory);
  }
}

/// Computes the keys of up to 32 survivors of a huge query. Its terms are taken kScoreRows at a
/// time, and added in the canonical order. A whole CTA.
template <CodecKind kCodec, LaneLists kLists>
__device__ void rescore_of_huge(const FinishBatch& batch, const Query& query,
                                const std::uint32_t* documents, std::uint32_t count, Key* keys,
                                RescoreMemory& memory) {
  const std::uint32_t warp = warp_id();
  const bool has = lane_id() < count;
  const std::uint32_t document = has ? documents[lane_id()] : 0;
  float score = 0;  // in the first warp
  for (std::uint32_t first = 0; first < query.scoring_lists; first += kScoreRows) {
    const std::uint32_t here = min(kScoreRows, query.scoring_lists - first);
    for (std::uint32_t i = warp; i < here; i += kRescoreWarps) {
      memory.scores[i][lane_id()] =
          scores_of_lanes<kCodec, LookupGoal::kLatency, kLists, Spread::kApart>(
              batch, query, first + i, has, document, memory.lookups[warp]);
    }
    __syncthreads();
    for (std::uint32_t i = 0; i < here && warp == 0; ++i) score += memory.scores[i][lane_id()];
    __syncthreads();
  }
  if (warp != 0 || !has) return;
  if (batch.static_scores != nullptr) score += batch.static_scores[document];
  keys[lane_id()] = make_key(score, document);
}

/// As rescore_survivors, where queries are huge.
template <CodecKind kCodec, LaneLists kLists>
__global__ void __launch_bounds__(kThreads, 2) rescore_huge(FinishBatch batch) {
  wait_for_previous();
  __shared__ RescoreMemory memory;
  const Query& query = batch.final_queries[blockIdx.y];
  if (query.k == 0 || sums_are_scores(batch, query)) return;
  const std::uint32_t count = batch.states[query.state].candidates;
  const std::uint32_t* const documents = documents_of(batch, query);
  Key* const keys = keys_beside(batch, query);
  for (std::uint32_t begin = blockIdx.x * kWarp; begin < count; begin += gridDim.x * kWarp) {
    rescore_of_huge<kCodec, kLists>(batch, query, documents + begin, min(kWarp, count - begin),
                                    keys + begin, memory);
  }
}

template <CodecKind kCodec, LaneLists kLists>
void launch(const FinishBatch& batch, cudaStream_t stream) {
  const auto kernel =
      batch.are_huge ? rescore_huge<kCodec, kLists> : rescore_survivors<kCodec, kLists>;
  // One of the two CTAs that a multiprocessor holds: kernels of other streams find room at once.
  static const std::uint32_t most =
      resident_ctas(rescore_survivors<kCodec, kLists>, kThreads, 0) / 2;
  // Thresholds of huge queries are low beside the largest sum, so bins of the histogram are wide:
  // a few times k documents survive.
  constexpr std::uint32_t kSurvivorsOfHuge = 4096;
  const std::uint32_t survivors = batch.are_huge ? std::max(batch.k, kSurvivorsOfHuge) : batch.k;
  const dim3 ctas(std::min((survivors + kWarp - 1) / kWarp, most), batch.state_count);
  gpu::launch("rescore_survivors", kernel, ctas, kThreads, 0, stream, batch);
}

}  // namespace

void launch_rescore_survivors(const FinishBatch& batch, CodecKind codec, cudaStream_t stream) {
  gpu::launch("order_survivors", order_survivors, batch.state_count, kThreads, 0, stream, batch);
  with_codec(codec, [&]<CodecKind kCodec>() {
    if (batch.list_spans != nullptr) {
      launch<kCodec, LaneLists::kOwn>(batch, stream);
    } else {
      launch<kCodec, LaneLists::kSame>(batch, stream);
    }
  });
}

}  // namespace warpdex::gpu
