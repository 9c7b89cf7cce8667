// GPU memory, owned. Builds without CUDA have the types too; allocating throws there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

/// Memory of one GPU, uninitialised at first. Move-only. Freeing waits for the GPU, so no kernel
/// can still use the memory.
class DeviceBuffer {
 public:
  /// No memory: a size of 0.
  DeviceBuffer() = default;
  /// Allocates `bytes`. Throws CudaError where `device` does not exist or has not that much memory
  /// free. A size of 0 allocates nothing.
  explicit DeviceBuffer(std::size_t bytes, int device = 0);
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();

  /// A device pointer, aligned to 256 bytes; null if the size is 0.
  void* data() const { return data_; }
  /// In bytes.
  std::size_t size() const { return size_; }
  /// The GPU that the memory is on, from 0.
  int device() const { return device_; }

  /// Queues a copy of host bytes to `offset`. Ordinary host memory may be reused on return; pinned
  /// memory only once the stream has passed the copy. Throws UsageError if the bytes do not fit.
  void upload(std::span<const std::uint8_t> bytes, const Stream& stream, std::size_t offset = 0);
  /// Queues a copy of the bytes from `offset` on to host memory; they are there once the stream
  /// was synchronised. Throws UsageError if there are fewer.
  void download(std::span<std::uint8_t> bytes, const Stream& stream, std::size_t offset = 0) const;
  /// Queues the setting of every byte to `value`.
  void fill(std::uint8_t value, const Stream& stream);

 private:
  void check_range(std::size_t offset, std::size_t bytes, const char* what) const;

  void* data_ = nullptr;
  std::size_t size_ = 0;
  int device_ = 0;
};

/// A DeviceBuffer of `size` values of a plain type.
template <typename T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>, "only plain values can be copied to a GPU");

 public:
  /// No memory: a size of 0.
  DeviceArray() = default;
  /// Room for `size` values. Throws as DeviceBuffer's constructor does.
  explicit DeviceArray(std::size_t size, int device = 0)
      : buffer_(size * sizeof(T), device), size_(size) {}

  /// A device pointer, aligned to 256 bytes; null if the size is 0.
  T* data() const { return static_cast<T*>(buffer_.data()); }
  /// In values.
  std::size_t size() const { return size_; }
  /// The GPU that the memory is on, from 0.
  int device() const { return buffer_.device(); }

  /// As DeviceBuffer::upload; `offset` counts values.
  void upload(std::span<const T> values, const Stream& stream, std::size_t offset = 0) {
    buffer_.upload({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()},
                   stream, offset * sizeof(T));
  }
  /// As DeviceBuffer::download; `offset` counts values.
  void download(std::span<T> values, const Stream& stream, std::size_t offset = 0) const {
    buffer_.download({reinterpret_cast<std::uint8_t*>(values.data()), values.size_bytes()}, stream,
                     offset * sizeof(T));
  }
  /// Sets every byte, not every value.
  void fill_bytes(std::uint8_t value, const Stream& stream) { buffer_.fill(value, stream); }

 private:
  DeviceBuffer buffer_;
  std::size_t size_ = 0;
};

}  // namespace warpdex
