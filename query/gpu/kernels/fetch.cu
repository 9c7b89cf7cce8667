// The first kernel of a small batch. It reads the batch's image from page-locked host memory and
// clears the counters. A copy and a memset would take longer, since each waits for the one before.
#include <algorithm>

#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 512;

/// Work item: 16 bytes a thread; CTAs of 512 threads; no shared memory. Bound by the latency of one
/// read over the bus, or by the bus's bandwidth.
__global__ void __launch_bounds__(kThreads) fetch(Batch, ImageFetch image) {
  wait_for_previous();
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < image.words) image.to[i] = image.from[i];
  if (i < image.cleared_words) image.cleared[i] = {0, 0, 0, 0};
}

}  // namespace

void launch_fetch(const Batch& batch, const ImageFetch& image, cudaStream_t stream) {
  const std::uint32_t words = std::max(image.words, image.cleared_words);
  if (words == 0) return;
  launch("fetch", fetch, (words + kThreads - 1) / kThreads, kThreads, 0, stream, batch, image);
}

}  // namespace warpdex::gpu
