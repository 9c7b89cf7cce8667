// GPU memory by cudaMalloc, and copies in the order of a stream.
#include "warpdex/core/cuda/buffer.hpp"

#include <utility>

#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex {

DeviceBuffer::DeviceBuffer(std::size_t bytes, int device) : size_(bytes), device_(device) {
  const CurrentDevice current(device);
  if (bytes == 0) return;
  check_cuda(cudaMalloc(&data_, bytes), "cudaMalloc of " + std::to_string(bytes) + " bytes");
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_(other.device_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_, other.device_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cudaFree(data_);
}

void DeviceBuffer::check_range(std::size_t offset, std::size_t bytes, const char* what) const {
  if (offset <= size_ && bytes <= size_ - offset) return;
  throw UsageError("cannot " + std::string(what) + " " + std::to_string(bytes) + " bytes at " +
                   std::to_string(offset) + ": the GPU buffer has " + std::to_string(size_) +
                   "; allocate a larger one");
}

void DeviceBuffer::upload(std::span<const std::uint8_t> bytes, const Stream& stream,
                          std::size_t offset) {
  check_range(offset, bytes.size(), "upload");
  if (bytes.empty()) return;
  check_cuda(cudaMemcpyAsync(static_cast<std::uint8_t*>(data_) + offset, bytes.data(), bytes.size(),
                             cudaMemcpyHostToDevice, stream.handle()),
             "cudaMemcpyAsync to the GPU");
}

void DeviceBuffer::download(std::span<std::uint8_t> bytes, const Stream& stream,
                            std::size_t offset) const {
  check_range(offset, bytes.size(), "download");
  if (bytes.empty()) return;
  check_cuda(cudaMemcpyAsync(bytes.data(), static_cast<const std::uint8_t*>(data_) + offset,
                             bytes.size(), cudaMemcpyDeviceToHost, stream.handle()),
             "cudaMemcpyAsync from the GPU");
}

void DeviceBuffer::fill(std::uint8_t value, const Stream& stream) {
  if (size_ == 0) return;
  check_cuda(cudaMemsetAsync(data_, value, size_, stream.handle()), "cudaMemsetAsync");
}

}  // namespace warpdex
