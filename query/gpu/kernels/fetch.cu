// The first kernel of a small batch: brings what the host wrote to page-locked memory over itself,
// and clears what is to be counted, instead of two commands that each wait for the one before.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 512;

/// Work item: 16 bytes a thread. Bound by one round trip over the bus, or by its bandwidth.
__global__ void __launch_bounds__(kThreads) fetch(Batch, Fetched image) {
  wait_for_previous();
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < image.words) image.to[i] = image.from[i];
  if (i < image.cleared_words) image.cleared[i] = {0, 0, 0, 0};
}

}  // namespace

void launch_fetch(const Batch& batch, const Fetched& image, cudaStream_t stream) {
  const std::uint32_t most = std::max(image.words, image.cleared_words);
  if (most == 0) return;
  launch("fetch", fetch, (most + kThreads - 1) / kThreads, kThreads, 0, stream, batch, image);
}

}  // namespace warpdex::gpu
