// An account of memory: who allocates by it never takes more than was allowed. The account is plain
// C++; AccountedBuffer is GPU memory that stands in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "warpdex/core/cuda/buffer.hpp"

namespace warpdex {

/// Bytes that may be taken, and those that are. Any thread; not moved, since buffers refer to it.
class MemoryBudget {
 public:
  /// With a parent, which outlives it, what is taken of this is taken of the parent, too.
  explicit MemoryBudget(std::size_t limit, MemoryBudget* parent = nullptr)
      : limit_(limit), parent_(parent) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Takes `bytes` if so many are left, else none. Never throws.
  bool try_reserve(std::size_t bytes);
  /// Gives back what try_reserve() took.
  void release(std::size_t bytes);

  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_; }
  /// What may still be taken, of the parent as well.
  std::size_t left() const;

 private:
  std::size_t limit_;
  MemoryBudget* parent_;
  std::atomic<std::size_t> used_{0};  ///< at most limit_
};

/// Bytes of a budget that are taken while it lives. Move-only.
class Reservation {
 public:
  /// None.
  Reservation() = default;
  /// Takes `bytes`, or none if there are not so many; the budget outlives it.
  Reservation(MemoryBudget& budget, std::size_t bytes);
  Reservation(Reservation&& other) noexcept { swap(other); }
  Reservation& operator=(Reservation&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Reservation();

  /// What it took.
  std::size_t bytes() const { return bytes_; }
  /// Gives back all but `bytes`, which are no more than it took.
  void shrink(std::size_t bytes);

 private:
  void swap(Reservation& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
  }

  MemoryBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
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
