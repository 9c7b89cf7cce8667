// Copies between the host and GPU memory, for the library's own GPU code (builds with CUDA only).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

/// Queues the copy of `count` values to GPU memory. Ordinary host memory may be reused on return,
/// pinned memory once the stream has passed the copy. Throws CudaError.
template <class Value>
void copy_to_gpu(Value* to, const Value* from, std::size_t count, const Stream& stream) {
  check_cuda(
      cudaMemcpyAsync(to, from, count * sizeof(Value), cudaMemcpyHostToDevice, stream.handle()),
      "cudaMemcpyAsync");
}

/// Queues the copy of `count` values to host memory; they are there once the stream was
/// synchronised. Throws CudaError.
template <class Value>
void copy_to_host(Value* to, const Value* from, std::size_t count, const Stream& stream) {
  check_cuda(
      cudaMemcpyAsync(to, from, count * sizeof(Value), cudaMemcpyDeviceToHost, stream.handle()),
      "cudaMemcpyAsync");
}

}  // namespace warpdex
