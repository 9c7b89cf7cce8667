// AND. A CTA decodes a chunk of the shortest required list into shared memory. In each further list
// it finds the chunk's documents by Parallel Merge Find (Ding et al., section 4) among the last
// docIDs of the blocks: first the ends of the chunk, in all lists at once, then the documents
// between them. Only blocks that can hold one of the documents are decoded. No intermediate result
// leaves the multiprocessor.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/and/and_chunk.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

using namespace and_chunk;

/// Work item: up to kAndBlocks blocks of a query's shortest required list, a CTA of 256 threads.
/// Shared memory: Memory, about 30 KiB. Bound by the latency of finding blocks and documents in
/// them, and by decoding.
template <CodecKind kCodec, int kLevels, ScoreForm kForm, bool kMeasures>
__global__ void __launch_bounds__(kThreads, 4) and_chunks(Batch batch, std::uint32_t first) {
  wait_for_previous();
  __shared__ __align__(16) Memory memory;
  const BlockRange range = batch.and_ranges[first + blockIdx.x];
  const Query& query = batch.queries[range.owner];
  if ((query.flags & kFallback) && !batch.states[query.state].fell_back) return;
  ChunkMatcher<kCodec, kLevels, kForm, kMeasures>(batch, query, range, memory).run();
}

/// Work item: a query that is a fallback, a CTA of 256 threads. If the AND before it matched too
/// few, discards what that found, so that the fallback runs. Bound by the launch.
__global__ void __launch_bounds__(kThreads) begin_and_fallback(Batch batch) {
  wait_for_previous();
  const Query& query = batch.queries[batch.and_queries - batch.and_fallback_queries + blockIdx.x];
  QueryState& state = batch.states[query.state];
  if (state.matches >= query.min_matches) return;
  std::uint32_t* const bins = batch.histograms + std::size_t{query.state} * kHistogramBins;
  for (std::uint32_t i = threadIdx.x; i < kHistogramBins; i += kThreads) bins[i] = 0;
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
    const bool measures = batch.skips_nothing || batch.work != nullptr;
    const auto kernel = measures ? and_chunks<kCodec, kLevels, kForm, true>
                                 : and_chunks<kCodec, kLevels, kForm, false>;
    gpu::launch("and_chunks", kernel, ctas, kThreads, 0, stream, batch, first);
  };
  const std::uint32_t first_ranges = batch.and_range_count - batch.and_fallback_range_count;
  launch_some(0, first_ranges);
  if (batch.and_fallback_queries == 0) return;
  gpu::launch("begin_and_fallback", begin_and_fallback, batch.and_fallback_queries, kThreads, 0,
              stream, batch);
  launch_some(first_ranges, batch.and_fallback_range_count);
}

}  // namespace

void launch_and_chunks(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.and_range_count == 0 && batch.and_fallback_queries == 0) return;
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    launch<kCodec, kLevels, kForm>(batch, stream);
  });
}

}  // namespace warpdex::gpu
