// OR with one accumulator for every document of the collection, in global memory, as in "Using
// Graphics Processors for High Performance IR Query Processing" (Ding, He, Yan, Suel). All blocks
// of a query's lists are decoded and accumulated. One pass over the accumulators then finds the
// documents that reach the threshold. Nothing is skipped: this is for comparison only.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/prune.cuh"
#include "gpu/device/unit_table.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Accumulators that a CTA takes between two barriers, and how many of these turns it reads ahead.
constexpr std::uint32_t kTurn = 4 * kQueryThreads;
constexpr std::uint32_t kAhead = 4;
static_assert(kTileDocuments % (kTurn * kAhead) == 0, "accumulators are of whole tiles");
/// The threshold rises after this many new candidates, or k.
constexpr std::uint32_t kPruneEvery = 256;

/// Accumulators of one query.
__host__ __device__ std::size_t accumulators_each(const Batch& batch) {
  return std::size_t{batch.tiles} * kTileDocuments;
}

/// The accumulators of one of the group's queries; `query` is its number among those of OR.
__device__ std::uint32_t* accumulators_of(const Batch& batch, const QueryGroup& group,
                                          std::uint32_t query) {
  return batch.accumulators + (query - group.first_query) * accumulators_each(batch);
}

/// Work item: a query of OR, a CTA of 512 threads. Discards what AND found, if AND came first and
/// matched too few. Bound by the launch.
__global__ void __launch_bounds__(kQueryThreads) start_queries(Batch batch) {
  wait_for_previous();
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  if (!(query.flags & kFallback) || !or_is_wanted(batch, query)) return;
  __syncthreads();  // all have read the state
  start_over(batch, query);
}

/// Work item: a block range of a list, a CTA of 256 threads; a block a warp. Shared memory: scratch
/// for decoding, and UnitTable, about 5 KiB. Bound by atomic additions to memory that is not in the
/// L2 cache: a posting reads and writes 32 bytes.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads) add_postings(Batch batch, QueryGroup group) {
  wait_for_previous();
  __shared__ device::WarpScratch scratches[kWarps];
  __shared__ UnitTable<kForm> table;
  const BlockRange range = batch.table_ranges[group.first_range + blockIdx.x];
  const List& list = batch.lists[range.owner];
  const Query& query = batch.queries[batch.and_queries + list.or_query];
  if (list.rank >= query.scoring_lists || !or_has_run(query, batch.states[query.state])) return;
  table.fill(batch);
  std::uint32_t* const sums = accumulators_of(batch, group, list.or_query);
  device::WarpScratch& scratch = scratches[warp_id()];
  const ListWeight weight = table.weigh(query, list);
  const std::uint32_t end = range.first + range.blocks;
  for (std::uint32_t block = range.first + warp_id(); block < end; block += kWarps) {
    std::uint32_t docids[4];
    std::uint32_t values[4];
    read_values<kCodec, kLevels>(batch, range.owner, block, scratch, values);
    read_docids<kCodec, kLevels>(batch, range.owner, block, scratch, docids);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (docids[i] >= batch.documents) continue;  // also skips kNone
      atomicAdd(&sums[docids[i]], table.units(weight, values[i], table.code_of(batch, docids[i])));
    }
    __syncwarp();
  }
}

/// Work item: the same for prohibited lists. The accumulators of their documents become 0.
template <CodecKind kCodec, int kLevels>
__global__ void __launch_bounds__(kThreads) erase_postings(Batch batch, QueryGroup group) {
  wait_for_previous();
  __shared__ device::WarpScratch scratches[kWarps];
  const BlockRange range = batch.table_ranges[group.first_range + blockIdx.x];
  const List& list = batch.lists[range.owner];
  const Query& query = batch.queries[batch.and_queries + list.or_query];
  if (list.rank < query.scoring_lists || !or_has_run(query, batch.states[query.state])) return;
  std::uint32_t* const sums = accumulators_of(batch, group, list.or_query);
  const std::uint32_t end = range.first + range.blocks;
  for (std::uint32_t block = range.first + warp_id(); block < end; block += kWarps) {
    std::uint32_t docids[4];
    read_docids<kCodec, kLevels>(batch, range.owner, block, scratches[warp_id()], docids);
#pragma unroll
    for (const std::uint32_t document : docids) {
      if (document < batch.documents) sums[document] = 0;
    }
    __syncwarp();
  }
}

/// Turns a query's accumulators into candidates. One CTA takes all of them in the order of docIDs,
/// so that of equal sums the smaller docID comes first. It drops candidates before there are more
/// than there is room for.
class Collector {
 public:
  __device__ Collector(const Batch& batch, const Query& query, PruneMemory& memory)
      : batch_(batch),
        query_(query),
        state_(batch.states[query.state]),
        memory_(memory),
        threshold_(batch, query) {}

  __device__ void run(const std::uint32_t* sums) {
    const auto* const fours = reinterpret_cast<const uint4*>(sums) + threadIdx.x;
    for (std::uint32_t begin = 0; begin < batch_.documents; begin += kAhead * kTurn) {
      uint4 ahead[kAhead];
#pragma unroll
      for (std::uint32_t i = 0; i < kAhead; ++i) ahead[i] = __ldcs(fours + (begin + i * kTurn) / 4);
#pragma unroll
      for (std::uint32_t i = 0; i < kAhead; ++i) {
        take(begin + i * kTurn + 4 * threadIdx.x, ahead[i]);
      }
    }
    add_matches();
  }

 private:
  /// One turn: four documents a thread, from `first` on.
  __device__ void take(std::uint32_t first, const uint4& four) {
    std::uint32_t sums[4] = {four.x, four.y, four.z, four.w};
    bool any = false;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (sums[i] == 0) continue;
      ++matches_;
      sums[i] += static_units(batch_, query_, first + i);
      any = any || sums[i] >= threshold_.at(first + i);
    }
    if (__syncthreads_or(any ? 1 : 0) == 0) return;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool reaches = sums[i] != 0 && sums[i] >= threshold_.at(first + i);
      append_candidate(batch_, query_, reaches, first + i, sums[i]);
    }
    __threadfence();
    __syncthreads();
    const std::uint32_t candidates = __ldcg(&state_.candidates);
    __syncthreads();  // all have read the counter
    const bool is_full = candidates + kTurn > query_.candidate_capacity;
    if (is_full || candidates >= kept_ + max(query_.k, kPruneEvery)) prune();
  }

  /// Raises the threshold and drops the candidates below it.
  __device__ void prune() {
    kept_ = prune_candidates(batch_, query_, memory_);
    __threadfence();
    __syncthreads();
    threshold_ = Threshold(batch_, query_);
  }

  __device__ void add_matches() {
    if ((query_.flags & kCount) == 0) return;
    const std::uint32_t matches = __reduce_add_sync(kWholeWarp, matches_);
    if (lane_id() == 0) atomicAdd(&state_.matches, static_cast<unsigned long long>(matches));
  }

  const Batch& batch_;
  const Query& query_;
  QueryState& state_;
  PruneMemory& memory_;
  Threshold threshold_;
  std::uint32_t kept_ = 0;     ///< candidates that stayed when the threshold last rose
  std::uint32_t matches_ = 0;  ///< found by this thread
};

/// Work item: a query of the group, a CTA of 512 threads. Shared memory: PruneMemory, 3 KiB. Bound
/// by reading 4 bytes a document if there are enough queries for all multiprocessors, else by the
/// latency of the barriers.
__global__ void __launch_bounds__(kQueryThreads) collect(Batch batch, QueryGroup group) {
  wait_for_previous();
  __shared__ PruneMemory memory;
  const std::uint32_t index = group.first_query + blockIdx.x;
  const Query& query = batch.queries[batch.and_queries + index];
  if (!or_has_run(query, batch.states[query.state])) return;
  Collector(batch, query, memory).run(accumulators_of(batch, group, index));
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, std::span<const QueryGroup> query_groups, cudaStream_t stream) {
  gpu::launch("start_queries", start_queries, batch.or_queries, kQueryThreads, 0, stream, batch);
  for (const QueryGroup& group : query_groups) {
    check_cuda(
        cudaMemsetAsync(batch.accumulators, 0,
                        group.queries * accumulators_each(batch) * sizeof(std::uint32_t), stream),
        "cudaMemsetAsync of accumulators");
    gpu::launch("add_postings", add_postings<kCodec, kLevels, kForm>, group.ranges, kThreads, 0,
                stream, batch, group);
    if (group.has_prohibited) {
      gpu::launch("erase_postings", erase_postings<kCodec, kLevels>, group.ranges, kThreads, 0,
                  stream, batch, group);
    }
    gpu::launch("collect", collect, group.queries, kQueryThreads, 0, stream, batch, group);
  }
}

}  // namespace

void launch_or_accumulators(const Batch& batch, std::span<const QueryGroup> query_groups,
                            CodecKind codec, cudaStream_t stream) {
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    launch<kCodec, kLevels, kForm>(batch, query_groups, stream);
  });
}

}  // namespace warpdex::gpu
