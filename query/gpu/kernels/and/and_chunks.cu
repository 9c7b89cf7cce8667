// Launches AND: its block ranges, then its fallbacks, for the index's codec. and_kernel.cuh has the
// kernel.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/and/and_ranges.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Work item: a query that is a fallback, a CTA of 256 threads. If the AND before it matched too
/// few, this discards what that AND found, so that the fallback runs. Bound by the launch.
__global__ void __launch_bounds__(kThreads) begin_and_fallback(AndBatch batch) {
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

}  // namespace

void launch_and_chunks(const AndBatch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.and_range_count == 0 && batch.and_fallback_queries == 0) return;
  with_codec(codec, [&]<CodecKind kCodec>() {
    const auto launch_ranges = [&](std::uint32_t first, std::uint32_t count) {
      if (count > 0) launch_and_ranges<kCodec>(batch, first, count, stream);
    };
    const std::uint32_t fallback_ranges = batch.and_fallback_range_count;
    const std::uint32_t first_ranges = batch.and_range_count - fallback_ranges;
    launch_ranges(0, first_ranges);
    if (batch.and_fallback_queries == 0) return;
    launch("begin_and_fallback", begin_and_fallback, batch.and_fallback_queries, kThreads, 0,
           stream, batch);
    launch_ranges(first_ranges, fallback_ranges);
  });
}

}  // namespace warpdex::gpu
