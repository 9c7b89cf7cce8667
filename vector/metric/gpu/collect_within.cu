// Reads all distances once. Each warp appends what it finds by one atomic operation.
#include "metric/gpu/kernels.hpp"

#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Work item: a query and some of its distances; a CTA. Reading them bounds it.
__global__ void __launch_bounds__(kThreads)
    keep_near(PairDistances distances, float radius, SelectedEntry* entries, std::uint32_t capacity,
              unsigned long long* total) {
  const std::uint32_t query = blockIdx.y;
  const float* const values = distances.values + query * distances.stride;
  const std::uint32_t count = distances.count;
  for (std::uint32_t first = blockIdx.x * kThreads; first < count; first += gridDim.x * kThreads) {
    const std::uint32_t i = first + threadIdx.x;
    const float value = i < count ? values[i] : 0;
    const bool is_near = i < count && value <= radius;
    const std::uint32_t kept = __ballot_sync(kWholeWarp, is_near);
    if (kept == 0) continue;
    unsigned long long at = 0;
    if (lane_id() == 0) at = atomicAdd(total, static_cast<unsigned long long>(__popc(kept)));
    at = __shfl_sync(kWholeWarp, at, 0) +
         static_cast<unsigned long long>(__popc(kept & lanes_below()));
    if (!is_near || at >= capacity) continue;
    const std::uint32_t object =
        distances.list == nullptr ? i : distances.list[query * distances.list_stride + i];
    entries[at] = {query, __float_as_uint(value), object};
  }
}

}  // namespace

void collect_within(const PairDistances& distances, float radius, SelectedEntry* entries,
                    std::uint32_t capacity, unsigned long long* total, const Stream& stream) {
  constexpr std::uint32_t kTilesOfCta = 8;
  check_cuda(cudaMemsetAsync(total, 0, sizeof(*total), stream.handle()), "cudaMemsetAsync");
  const std::uint32_t tile = kThreads * kTilesOfCta;
  launch({.name = "keep_near",
          .ctas = dim3((distances.count + tile - 1) / tile, distances.query_count),
          .threads = kThreads,
          .stream = stream.handle()},
         keep_near, distances, radius, entries, capacity, total);
}

}  // namespace warpdex::metric
