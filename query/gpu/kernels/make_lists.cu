// Makes lists from sources.
#include "gpu/kernels/make_lists.hpp"

#include <vector_types.h>

#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kListWords = sizeof(List) / sizeof(uint4);
static_assert(sizeof(List) % sizeof(uint4) == 0);

/// Copies the raw list of `size` postings that starts at `from`, and pads both its parts. A whole
/// warp.
__device__ void pad(const std::uint32_t* from, std::uint32_t size, std::uint32_t* to) {
  for (std::uint32_t i = lane_id(); i < kRawEntries; i += kWarp) {
    to[i] = i < size ? from[i] : kNone;
    to[kRawEntries + i] = i < size ? from[size + i] : 0;
  }
}

/// Work item: a list a thread; CTAs of 64 threads, which write their lists together. Shared memory:
/// 13 KiB. Bound by reading 80 bytes a list and writing 208.
__global__ void __launch_bounds__(kThreads) make_lists(ListBatch batch) {
  __shared__ uint4 memory[kThreads * kListWords];
  auto* const lists = reinterpret_cast<List*>(memory);
  const std::uint32_t first = blockIdx.x * kThreads;
  const std::uint32_t count = min(kThreads, batch.list_count - first);
  const std::uint32_t i = threadIdx.x;
  ListSource source{};
  if (i < count) {
    source = batch.sources[first + i];
    lists[i] = make_list(source, batch.tables[source.segment]);
  }
  std::uint32_t left = __ballot_sync(kWholeWarp, (source.flags & kPacked) != 0);
  const auto raw = reinterpret_cast<std::uint64_t>(source.docids);
  for (; left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t word = __shfl_sync(kWholeWarp, source.first_block, lane);
    const std::uint32_t size = __shfl_sync(kWholeWarp, source.size, lane);
    pad(batch.packed + word, size,
        reinterpret_cast<std::uint32_t*>(__shfl_sync(kWholeWarp, raw, lane)));
  }
  __syncthreads();
  auto* const to = reinterpret_cast<uint4*>(batch.lists + first);
  for (std::uint32_t word = i; word < count * kListWords; word += kThreads) to[word] = memory[word];
}

}  // namespace

void launch_make_lists(const ListBatch& batch, cudaStream_t stream) {
  if (batch.list_count == 0) return;
  warpdex::launch({.name = "make_lists",
                   .ctas = (batch.list_count + kThreads - 1) / kThreads,
                   .threads = kThreads,
                   .shared_memory = 0,
                   .stream = stream,
                   .overlaps = false},
                  make_lists, batch);
}

}  // namespace warpdex::gpu
