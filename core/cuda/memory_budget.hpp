// An account of GPU memory: who allocates by it never takes more than was allowed. The account is
// plain C++; AccountedBuffer is memory that stands in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "warpdex/core/cuda/buffer.hpp"

namespace warpdex {

/// Bytes that may be taken, and those that are. Any thread; not moved, since buffers refer to it.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Takes `bytes` if so many are left, else none. Never throws.
  bool try_reserve(std::size_t bytes);
  /// Gives back what try_reserve() took.
  void release(std::size_t bytes) { used_ -= bytes; }

  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_; }
  std::size_t left() const { return limit_ - used_; }

 private:
  std::size_t limit_;
  std::atomic<std::size_t> used_{0};  ///< at most limit_
};

/// A DeviceBuffer that stands in a budget's account while it lives. Move-only.
class AccountedBuffer {
 public:
  /// No memory: a size of 0.
  AccountedBuffer() = default;
  AccountedBuffer(AccountedBuffer&& other) noexcept { swap(other); }
  AccountedBuffer& operator=(AccountedBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AccountedBuffer() { reset(); }

  /// Takes the place of what there was, which is freed first. False, and no memory, where the
  /// budget or the GPU has not that much left; the budget outlives the buffer. Throws CudaError for
  /// all other failures.
  bool allocate(std::size_t bytes, MemoryBudget& budget, int device);
  /// Frees the memory.
  void reset();

  /// The memory; of size 0 where there is none.
  DeviceBuffer& buffer() { return buffer_; }
  void* data() const { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }

 private:
  void swap(AccountedBuffer& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(budget_, other.budget_);
  }

  DeviceBuffer buffer_;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace warpdex
