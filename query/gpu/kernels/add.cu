// Adds a number to all of an array.
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 512;

/// Work item: a number a thread; CTAs of 512 threads; no shared memory. Bound by memory bandwidth.
__global__ void __launch_bounds__(kThreads)
    add(std::uint32_t* numbers, std::size_t count, std::uint32_t added) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) numbers[i] += added;
}

}  // namespace

void launch_add(std::uint32_t* numbers, std::size_t count, std::uint32_t added,
                cudaStream_t stream) {
  if (count == 0) return;
  warpdex::launch({.name = "add",
                   .ctas = static_cast<std::uint32_t>((count + kThreads - 1) / kThreads),
                   .threads = kThreads,
                   .shared_memory = 0,
                   .stream = stream,
                   .overlaps = false},
                  add, numbers, count, added);
}

}  // namespace warpdex::gpu
