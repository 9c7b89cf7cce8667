// The first kernel of a small batch. It reads the batch's image from page-locked host memory and
// clears the counters. A copy and a memset would take longer, since each waits for the one before.
#include <algorithm>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 512;

/// Work item: 16 bytes a thread; CTAs of 512 threads; no shared memory. Bound by the latency of one
/// read over the bus, or by the bus's bandwidth.
__global__ void __launch_bounds__(kThreads) fetch(ImageFetch image) {
  wait_for_previous();
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < image.words) image.to[i] = image.from[i];
  if (i < image.cleared_words) image.cleared[i] = {0, 0, 0, 0};
}

}  // namespace

void launch_fetch(const ImageFetch& image, bool overlaps, cudaStream_t stream) {
  const std::uint32_t words = std::max(image.words, image.cleared_words);
  if (words == 0) return;
  warpdex::launch({.name = "fetch",
                   .ctas = (words + kThreads - 1) / kThreads,
                   .threads = kThreads,
                   .shared_memory = 0,
                   .stream = stream,
                   .overlaps = overlaps},
                  fetch, image);
}

}  // namespace warpdex::gpu
