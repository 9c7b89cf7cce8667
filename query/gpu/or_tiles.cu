// OR. Work is shared out by regions of documents; where a query's lists that must be read whole
// have few postings in a region, these are added up in a hash table of its documents, else tile by
// tile: A tile of documents has an accumulator of 16 bits each in shared memory; the blocks of the
// query's lists that meet the tile are decoded and added up there, in any order, since sums of
// integers do not depend on it; then the documents that reach the query's threshold become
// candidates and raise it. Lists that could not lift a document over the threshold by themselves
// (MaxScore, Turtle and Flood) are read only where the others left a document that they could.
#include <algorithm>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/or_dense_tile.cuh"
#include "warpdex/query/gpu/or_planner.cuh"
#include "warpdex/query/gpu/or_sparse_region.cuh"

namespace warpdex::gpu {
namespace {

using namespace or_tiles;

/// Work item: a tile of a query; CTAs stay and draw items. 8 warps decode a tile while another
/// plans the next. Shared memory: Memory, 54 (impacts) to 71 KiB. Bound by issue (about 3.6
/// instructions of a warp a posting were counted, reading all of an index of impacts) and by shared
/// memory's banks.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kAllThreads,
                                  Memory<kForm>::kHasLengths || kCodec == CodecKind::kPfor ? 3 : 4)
    or_tiles(Batch batch, std::uint32_t items, std::uint32_t at_once) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory<kForm>*>(bytes);
  for (std::uint32_t i = threadIdx.x; i < kVectors; i += kAllThreads) memory.sums[i] = {0, 0, 0, 0};
  for (std::uint32_t i = threadIdx.x; i < kRegionDocuments / 128; i += kAllThreads) {
    memory.candidates[i] = {0, 0, 0, 0};
  }
  if constexpr (Memory<kForm>::kHasLengths) {
    for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += kAllThreads) {
      memory.parts[i] =
          length_part(kForm, batch.c0, batch.c1, static_cast<float>(decode_length(i)));
    }
  }
  const std::uint32_t warp = warp_id();
  const bool plans = warp == kWarps;
  Planner<kForm> planner(batch, memory, items, at_once);
  if (plans) planner.plan(memory.plans[0]);
  for (std::uint32_t turn = 0;; turn ^= 1) {
    __syncthreads();
    if (memory.plans[turn].is_end) return;
    if (plans) {
      planner.plan(memory.plans[turn ^ 1]);
    } else {
      const TilePlan& plan = memory.plans[turn];
      if (plan.is_sparse) {
        SparseRegion<kCodec, kLevels, kForm>(batch, plan, memory, warp).run();
      } else {
        DenseTile<kCodec, kLevels, kForm>(batch, plan, memory, warp).run();
      }
    }
  }
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, cudaStream_t stream) {
  const auto kernel = or_tiles<kCodec, kLevels, kForm>;
  constexpr int kBytes = sizeof(Memory<kForm>);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
             "cudaFuncSetAttribute");
  int per_multiprocessor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, kAllThreads,
                                                           kBytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  int device = 0;
  int multiprocessors = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  const std::uint32_t items = batch.or_queries * batch.regions;
  const std::uint32_t most = static_cast<std::uint32_t>(per_multiprocessor * multiprocessors);
  const std::uint32_t ctas = std::min(most, items);
  const std::uint32_t at_once = std::clamp(items / (16 * ctas), 1U, kWarp);
  kernel<<<ctas, kAllThreads, kBytes, stream>>>(batch, items, at_once);
  check_launch("or_tiles");
}

template <CodecKind kCodec, int kLevels = 0>
void launch(const Batch& batch, cudaStream_t stream) {
  switch (batch.form) {
    case ScoreForm::kImpact: return launch<kCodec, kLevels, ScoreForm::kImpact>(batch, stream);
    case ScoreForm::kBm25: return launch<kCodec, kLevels, ScoreForm::kBm25>(batch, stream);
    case ScoreForm::kQueryLikelihood:
      return launch<kCodec, kLevels, ScoreForm::kQueryLikelihood>(batch, stream);
  }
}

}  // namespace

void launch_or_tiles(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.regions == 0) return;
  switch (codec) {
    case CodecKind::kBitpack: return launch<CodecKind::kBitpack>(batch, stream);
    case CodecKind::kPfor:
      if (batch.pfor_levels <= 1) return launch<CodecKind::kPfor, 1>(batch, stream);
      return launch<CodecKind::kPfor, kMaxPforLevels>(batch, stream);
    case CodecKind::kPforBlock: return launch<CodecKind::kPforBlock>(batch, stream);
    case CodecKind::kRice: return launch<CodecKind::kRice>(batch, stream);
  }
}

}  // namespace warpdex::gpu
