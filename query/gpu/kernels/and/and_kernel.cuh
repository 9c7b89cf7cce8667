// AND. A CTA decodes a chunk of the shortest required list into shared memory. In each further list
// it finds the chunk's documents by Parallel Merge Find (Ding et al., section 4) among the last
// docIDs of the blocks: first the ends of the chunk, in all lists at once, then the documents
// between them. Only blocks that can hold one of the documents are decoded. No intermediate result
// leaves the multiprocessor.
//
// The kernel, for the sources that compile it for a codec. Internal to kernels/and/.
#pragma once

#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/and/and_chunk.cuh"
#include "gpu/kernels/and/and_ranges.cuh"

namespace warpdex::gpu {
namespace and_chunk {

/// Work item: up to kAndBlocks blocks of a query's shortest required list, a CTA of 256 threads.
/// Shared memory: Memory, about 30 KiB. Bound by the latency of finding blocks and documents in
/// them, and by decoding.
template <CodecKind kCodec, ScoreForm kForm, bool kMeasures>
__global__ void __launch_bounds__(kThreads, 4) and_chunks(AndBatch batch, std::uint32_t first) {
  wait_for_previous();
  __shared__ __align__(16) Memory memory;
  const BlockRange range = batch.and_ranges[first + blockIdx.x];
  const Query& query = batch.queries[range.owner];
  if ((query.flags & kFallback) && !batch.states[query.state].fell_back) return;
  ChunkMatcher<kCodec, kForm, kMeasures>(batch, query, range, memory).run();
}

}  // namespace and_chunk

template <CodecKind kCodec>
void launch_and_ranges(const AndBatch& batch, std::uint32_t first, std::uint32_t count,
                       cudaStream_t stream) {
  with_form(batch, [&]<ScoreForm kForm>() {
    auto kernel = and_chunk::and_chunks<kCodec, kForm, false>;
    if constexpr (kIsMeasured<kCodec, kForm>) {
      const bool measures = batch.skips_nothing || batch.work != nullptr;
      if (measures) kernel = and_chunk::and_chunks<kCodec, kForm, true>;
    }
    launch("and_chunks", kernel, count, and_chunk::kThreads, 0, stream, batch, first);
  });
}

}  // namespace warpdex::gpu
