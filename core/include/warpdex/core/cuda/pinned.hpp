// Host memory that a GPU reads and writes directly: copies from it do not wait, and kernels may
// write answers into it. Builds without CUDA have the type too; allocating throws there.
#pragma once

#include <cstddef>

namespace warpdex {

/// Page-locked host memory, mapped for all GPUs, uninitialised at first. Move-only. Before it is
/// freed, the caller must wait for the GPU.
class PinnedBuffer {
 public:
  /// No memory: a size of 0.
  PinnedBuffer() = default;
  /// Allocates `bytes`; 0 allocates nothing. Takes milliseconds, so keep and reuse it. Throws
  /// CudaError if there is no GPU or too little memory.
  explicit PinnedBuffer(std::size_t bytes);
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;
  ~PinnedBuffer();

  /// The host's address, aligned to 4096 bytes; null if the size is 0.
  void* data() const { return data_; }
  /// The address for kernels.
  void* device_data() const { return device_data_; }
  /// In bytes.
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  void* device_data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpdex
