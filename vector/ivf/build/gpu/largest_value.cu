// A maximum by whole numbers: bits of numbers that are not negative have their order.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "ivf/build/gpu/largest_value.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Work item: a number, a thread; grid-stride. Memory bounds it.
__global__ void __launch_bounds__(kThreads)
    find(const float* values, std::uint32_t count, std::uint32_t* largest) {
  std::uint32_t own = 0;
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < count;
       i += gridDim.x * kThreads) {
    own = max(own, __float_as_uint(values[i]) & 0x7FFFFFFFU);
  }
  own = __reduce_max_sync(kWholeWarp, own);
  if (lane_id() == 0) atomicMax(largest, own);
}

}  // namespace

void find_largest(const float* values, std::uint32_t count, float* largest, const Stream& stream) {
  constexpr std::uint32_t kMaxCtas = 256;
  check_cuda(cudaMemsetAsync(largest, 0, sizeof(float), stream.handle()), "cudaMemsetAsync");
  launch({.name = "find_largest",
          .ctas = std::min(kMaxCtas, (count - 1) / kThreads + 1),
          .threads = kThreads,
          .stream = stream.handle()},
         find, values, count, reinterpret_cast<std::uint32_t*>(largest));
}

}  // namespace warpdex::vector
