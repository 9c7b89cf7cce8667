// Asks CUDA about a caller's memory, waits for a caller's streams, and widens numbers in place.
#include "warpdex/core/cuda/caller_memory.hpp"

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex {
namespace {

constexpr std::uint32_t kThreads = 1024;
constexpr std::uint32_t kOfThread = 8;  // numbers that one holds

/// Numbers `first` to `end`; none of these writes what another one reads.
__global__ void widen_apart(std::int64_t* numbers, std::size_t count, std::size_t first,
                            std::size_t end) {
  const std::size_t i = first + blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < end) numbers[i] = reinterpret_cast<const std::int32_t*>(numbers)[count + i];
}

/// From `first` on, at most kThreads * kOfThread, by one CTA that reads all before it writes.
__global__ void widen_last(std::int64_t* numbers, std::size_t count, std::size_t first) {
  std::int32_t held[kOfThread];
  for (std::uint32_t part = 0; part < kOfThread; ++part) {
    const std::size_t i = first + part * kThreads + threadIdx.x;
    if (i < count) held[part] = reinterpret_cast<const std::int32_t*>(numbers)[count + i];
  }
  __syncthreads();
  for (std::uint32_t part = 0; part < kOfThread; ++part) {
    const std::size_t i = first + part * kThreads + threadIdx.x;
    if (i < count) numbers[i] = held[part];
  }
}

}  // namespace

int device_of(const void* pointer) {
  cudaPointerAttributes found{};
  check_cuda(cudaPointerGetAttributes(&found, pointer), "cudaPointerGetAttributes");
  const bool is_gpus = found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
  return is_gpus ? found.device : -1;
}

void wait_for_stream(CUstream_st* stream, int device) {
  const CurrentDevice current(device);
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void widen_in_place(std::int64_t* numbers, std::size_t count, int device) {
  const CurrentDevice current(device);
  const cudaStream_t stream = cudaStreamPerThread;
  std::size_t first = 0;
  // A 64-bit number takes the place of two 32-bit ones, so half of those that are left can be
  // written before any of their places is needed.
  while (count - first > kThreads * kOfThread) {
    const std::size_t end = first + (count - first) / 2;
    launch(launch_over("widen_apart", end - first, kThreads, stream), widen_apart, numbers, count,
           first, end);
    first = end;
  }
  launch(launch_over("widen_last", kThreads, kThreads, stream), widen_last, numbers, count, first);
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

}  // namespace warpdex
