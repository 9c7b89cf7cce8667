// AND. A chunk of the shortest required list is decoded into shared memory; in each further list
// its documents are found by Parallel Merge Find (Ding et al., section 4) among the last docIDs of
// the blocks: the chunk's ends first, in all lists at once, then the documents between them; only
// blocks that hold a place of a document are decoded. No intermediate result leaves the
// multiprocessor.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/and/and_chunk.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

using namespace and_chunk;

/// Work item: up to kAndBlocks blocks of a query's shortest required list, a CTA. Shared memory:
/// Memory, about 29 KiB. Bound by the latency of finding blocks and documents in them, and by
/// decoding.
template <CodecKind kCodec, int kLevels, ScoreForm kForm, bool kCompares>
__global__ void __launch_bounds__(kThreads, 4) and_chunks(Batch batch, std::uint32_t first) {
  wait_for_previous();
  __shared__ __align__(16) Memory memory;
  const Stretch stretch = batch.and_stretches[first + blockIdx.x];
  const Query& query = batch.queries[stretch.owner];
  if ((query.flags & kFallback) && !batch.states[query.state].fell_back) return;
  ChunkMatcher<kCodec, kLevels, kForm, kCompares>(batch, query, stretch, memory).run();
}

/// Work item: a query a CTA, one that comes second. Where the first found too few, forgets these.
__global__ void __launch_bounds__(kThreads) begin_second(Batch batch) {
  wait_for_previous();
  const Query& query = batch.queries[batch.and_queries - batch.second_queries + blockIdx.x];
  QueryState& state = batch.states[query.state];
  if (state.matches >= query.least) return;
  std::uint32_t* const bins = batch.histograms + std::size_t{query.state} * kBins;
  for (std::uint32_t i = threadIdx.x; i < kBins; i += kThreads) bins[i] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    state = {};
    state.fell_back = 1;
  }
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, cudaStream_t stream) {
  const auto launch_some = [&](std::uint32_t first, std::uint32_t ctas) {
    if (ctas == 0) return;
    const bool compares = batch.skips_nothing || batch.work != nullptr;
    const auto kernel = compares ? and_chunks<kCodec, kLevels, kForm, true>
                                 : and_chunks<kCodec, kLevels, kForm, false>;
    gpu::launch("and_chunks", kernel, ctas, kThreads, 0, stream, batch, first);
  };
  const std::uint32_t first_stretches = batch.and_stretch_count - batch.second_stretch_count;
  launch_some(0, first_stretches);
  if (batch.second_queries == 0) return;
  gpu::launch("begin_second", begin_second, batch.second_queries, kThreads, 0, stream, batch);
  launch_some(first_stretches, batch.second_stretch_count);
}

}  // namespace

void launch_and_chunks(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.and_stretch_count == 0 && batch.second_queries == 0) return;
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    launch<kCodec, kLevels, kForm>(batch, stream);
  });
}

}  // namespace warpdex::gpu
