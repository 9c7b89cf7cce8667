// OR with an accumulator for every document of the collection, in global memory, as disjunctive
// queries are done in "Using Graphics Processors for High Performance IR Query Processing" (Ding,
// He, Yan, Suel): all blocks of a query's lists are decoded and added up there; one pass over the
// accumulators then finds what reaches the threshold. Skips nothing: it is there to be compared
// with.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/settle.cuh"
#include "gpu/device/unit_table.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Accumulators that a CTA looks at between two barriers, and how often it reads so many ahead.
constexpr std::uint32_t kTurn = 4 * kQueryThreads;
constexpr std::uint32_t kAhead = 4;
static_assert(kTileDocuments % (kTurn * kAhead) == 0, "accumulators are of whole tiles");
/// New candidates after which the threshold rises, at least.
constexpr std::uint32_t kSettleEvery = 256;

/// Accumulators of a query.
__host__ __device__ std::size_t accumulators_each(const Batch& batch) {
  return std::size_t{batch.tiles} * kTileDocuments;
}

/// Where those of one of the wave's queries, counted among those of OR, start.
__device__ std::uint32_t* accumulators_of(const Batch& batch, const Wave& wave,
                                          std::uint32_t query) {
  return batch.accumulators + (query - wave.first_query) * accumulators_each(batch);
}

/// Work item: a query of OR a CTA. Forgets what AND found where it was to come first and found too
/// little.
__global__ void __launch_bounds__(kQueryThreads) start_queries(Batch batch) {
  wait_for_previous();
  const Query& query = batch.queries[batch.and_queries + blockIdx.x];
  if (!(query.flags & kFallback) || !or_is_wanted(batch, query)) return;
  __syncthreads();  // all have read the state
  start_over(batch, query);
}

/// Work item: some blocks of a list a CTA, a block a warp. Bound by atomics on memory that is not
/// in the cache: a posting takes 32 bytes, read and written back.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads) add_postings(Batch batch, Wave wave) {
  wait_for_previous();
  __shared__ device::WarpScratch scratches[kWarps];
  __shared__ UnitTable<kForm> table;
  const Stretch stretch = batch.table_stretches[wave.first_stretch + blockIdx.x];
  const List& list = batch.lists[stretch.owner];
  const Query& query = batch.queries[batch.and_queries + list.owner];
  if (list.place >= query.scoring || !or_has_run(query, batch.states[query.state])) return;
  table.fill(batch);
  std::uint32_t* const sums = accumulators_of(batch, wave, list.owner);
  device::WarpScratch& scratch = scratches[warp_id()];
  const ListWeight weight = table.weigh(query, list);
  const std::uint32_t end = stretch.first + stretch.blocks;
  for (std::uint32_t block = stretch.first + warp_id(); block < end; block += kWarps) {
    std::uint32_t docids[4];
    std::uint32_t values[4];
    read_values<kCodec, kLevels>(batch, stretch.owner, block, scratch, values);
    read_docids<kCodec, kLevels>(batch, stretch.owner, block, scratch, docids);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (docids[i] >= batch.documents) continue;  // kNone, too
      atomicAdd(&sums[docids[i]], table.units(weight, values[i], table.code_of(batch, docids[i])));
    }
    __syncwarp();
  }
}

/// Work item: likewise, of prohibited lists, whose documents' accumulators become 0.
template <CodecKind kCodec, int kLevels>
__global__ void __launch_bounds__(kThreads) erase_postings(Batch batch, Wave wave) {
  wait_for_previous();
  __shared__ device::WarpScratch scratches[kWarps];
  const Stretch stretch = batch.table_stretches[wave.first_stretch + blockIdx.x];
  const List& list = batch.lists[stretch.owner];
  const Query& query = batch.queries[batch.and_queries + list.owner];
  if (list.place < query.scoring || !or_has_run(query, batch.states[query.state])) return;
  std::uint32_t* const sums = accumulators_of(batch, wave, list.owner);
  const std::uint32_t end = stretch.first + stretch.blocks;
  for (std::uint32_t block = stretch.first + warp_id(); block < end; block += kWarps) {
    std::uint32_t docids[4];
    read_docids<kCodec, kLevels>(batch, stretch.owner, block, scratches[warp_id()], docids);
#pragma unroll
    for (const std::uint32_t document : docids) {
      if (document < batch.documents) sums[document] = 0;
    }
    __syncwarp();
  }
}

/// One CTA's way from a query's accumulators to its candidates. It is the only one of the query's:
/// it goes by docID, so that of equal sums the first come first, and drops candidates before there
/// are more than there is room for.
class Collector {
 public:
  __device__ Collector(const Batch& batch, const Query& query, Settling& memory)
      : batch_(batch),
        query_(query),
        state_(batch.states[query.state]),
        memory_(memory),
        need_(batch, query) {}

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
  /// A turn: four documents a thread, `first` and those behind it.
  __device__ void take(std::uint32_t first, const uint4& four) {
    std::uint32_t sums[4] = {four.x, four.y, four.z, four.w};
    bool any = false;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (sums[i] == 0) continue;
      ++matches_;
      sums[i] += static_units(batch_, query_, first + i);
      any = any || sums[i] >= need_.of(first + i);
    }
    if (__syncthreads_or(any ? 1 : 0) == 0) return;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool reaches = sums[i] != 0 && sums[i] >= need_.of(first + i);
      append_candidate(batch_, query_, reaches, first + i, sums[i]);
    }
    __threadfence();
    __syncthreads();
    const std::uint32_t candidates = __ldcg(&state_.candidates);
    __syncthreads();  // all have read it
    const bool is_full = candidates + kTurn > query_.capacity;
    if (is_full || candidates >= settled_ + max(query_.k, kSettleEvery)) raise_need();
  }

  /// Raises the threshold, and drops the candidates that miss it.
  __device__ void raise_need() {
    settled_ = settle(batch_, query_, memory_);
    __threadfence();
    __syncthreads();
    need_ = Need(batch_, query_);
  }

  __device__ void add_matches() {
    if ((query_.flags & kCount) == 0) return;
    const std::uint32_t matches = __reduce_add_sync(kWholeWarp, matches_);
    if (lane_id() == 0) atomicAdd(&state_.matches, static_cast<unsigned long long>(matches));
  }

  const Batch& batch_;
  const Query& query_;
  QueryState& state_;
  Settling& memory_;
  Need need_;
  std::uint32_t settled_ = 0;  ///< candidates that were left when the threshold last rose
  std::uint32_t matches_ = 0;  ///< of this thread
};

/// Work item: a query of the wave a CTA. Bound by reading 4 bytes a document, if there are enough
/// queries for all multiprocessors; else by the latency of the barriers.
__global__ void __launch_bounds__(kQueryThreads) collect(Batch batch, Wave wave) {
  wait_for_previous();
  __shared__ Settling memory;
  const std::uint32_t index = wave.first_query + blockIdx.x;
  const Query& query = batch.queries[batch.and_queries + index];
  if (!or_has_run(query, batch.states[query.state])) return;
  Collector(batch, query, memory).run(accumulators_of(batch, wave, index));
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, std::span<const Wave> waves, cudaStream_t stream) {
  gpu::launch("start_queries", start_queries, batch.or_queries, kQueryThreads, 0, stream, batch);
  for (const Wave& wave : waves) {
    check_cuda(
        cudaMemsetAsync(batch.accumulators, 0,
                        wave.queries * accumulators_each(batch) * sizeof(std::uint32_t), stream),
        "cudaMemsetAsync of accumulators");
    gpu::launch("add_postings", add_postings<kCodec, kLevels, kForm>, wave.stretches, kThreads, 0,
                stream, batch, wave);
    if (wave.has_prohibited) {
      gpu::launch("erase_postings", erase_postings<kCodec, kLevels>, wave.stretches, kThreads, 0,
                  stream, batch, wave);
    }
    gpu::launch("collect", collect, wave.queries, kQueryThreads, 0, stream, batch, wave);
  }
}

}  // namespace

void launch_or_accumulators(const Batch& batch, std::span<const Wave> waves, CodecKind codec,
                            cudaStream_t stream) {
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    launch<kCodec, kLevels, kForm>(batch, waves, stream);
  });
}

}  // namespace warpdex::gpu
