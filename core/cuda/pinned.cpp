// Page-locked host memory by cudaHostAlloc.
#include "warpdex/core/cuda/pinned.hpp"

#include <utility>

#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex {

PinnedBuffer::PinnedBuffer(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  check_cuda(cudaHostAlloc(&data_, bytes, cudaHostAllocMapped | cudaHostAllocPortable),
             "cudaHostAlloc of " + std::to_string(bytes) + " bytes");
  const cudaError_t status = cudaHostGetDevicePointer(&device_data_, data_, 0);
  if (status != cudaSuccess) cudaFreeHost(data_);
  check_cuda(status, "cudaHostGetDevicePointer");
}

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      device_data_(std::exchange(other.device_data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(device_data_, other.device_data_);
  std::swap(size_, other.size_);
  return *this;
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ != nullptr) cudaFreeHost(data_);
}

}  // namespace warpdex
