// AND. A CTA decodes a chunk of the shortest required list into shared memory. In each further list
// it finds the chunk's documents by Parallel Merge Find (Ding et al., section 7) among the last
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

/// Work item: neighbouring blocks of a query's shortest required list, kAndBlocks at most. A CTA
/// has a warp for each block that it takes at a time. Shared memory: Memory, some 4 KiB a warp.
/// Bound by the latency of finding blocks and documents in them, and by decoding.
template <CodecKind kCodec, class Units, class Shape, bool kMeasures>
__global__ void __launch_bounds__(Shape::kThreads, 1024 / Shape::kThreads)
    and_chunks(AndBatch batch, std::uint32_t first) {
  wait_for_previous();
  __shared__ __align__(16) Memory<Shape> memory;
  const BlockRange range = batch.and_ranges[first + blockIdx.x];
  const Query& query = batch.queries[range.owner];
  if ((query.flags & kFallback) && !batch.states[query.state].fell_back) return;
  const auto match = [&](const BlockRange& chunk) {
    ChunkMatcher<kCodec, Units, Shape, kMeasures>(batch, query, chunk, memory).run();
  };
  if constexpr (Shape::kWarps >= kAndBlocks) {
    match(range);
  } else {
    for (std::uint32_t done = 0; done < range.blocks; done += Shape::kWarps) {
      if (done > 0) __syncthreads();  // the memory is written again
      match({range.owner, range.first + done, min(Shape::kWarps, range.blocks - done)});
    }
  }
}

}  // namespace and_chunk

template <CodecKind kCodec>
void launch_and_ranges(const AndBatch& batch, std::uint32_t first, std::uint32_t count,
                       cudaStream_t stream) {
  // Between most barriers only a few threads have something to do, so many short ranges are better
  // taken by CTAs of two warps, which wait less. For a long range, these would take several chunks,
  // one after the other.
  constexpr std::uint32_t kManyRanges = 2048;
  using Wide = and_chunk::ChunkShape<kAndBlocks>;
  using Narrow = and_chunk::ChunkShape<2>;
  using Huge = and_chunk::ChunkShape<kAndBlocks, true>;
  launch_with(AllUnits(), batch, [&]<class Units>() {
    const auto start = [&]<class Shape>(Shape) {
      auto kernel = and_chunk::and_chunks<kCodec, Units, Shape, false>;
      if constexpr (kIsMeasured<kCodec, Units> && !Shape::kIsHuge) {
        const bool measures = batch.skips_nothing || batch.work != nullptr;
        if (measures) kernel = and_chunk::and_chunks<kCodec, Units, Shape, true>;
      }
      launch("and_chunks", kernel, count, Shape::kThreads, 0, stream, batch, first);
    };
    if (batch.are_huge) {
      start(Huge());
    } else if (batch.has_short_ranges && count >= kManyRanges) {
      start(Narrow());
    } else {
      start(Wide());
    }
  });
}

}  // namespace warpdex::gpu
