// Accounts of memory with a limit. The account is plain C++; AccountedBuffer is GPU memory that
// counts in one.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "warpdex/core/cuda/buffer.hpp"

namespace warpdex {

/// Counts reserved bytes up to a limit. Any thread. Not movable, since buffers refer to it.
class MemoryBudget {
 public:
  /// What is reserved here is reserved in the parent as well, if there is one. The parent must
  /// outlive this.
  explicit MemoryBudget(std::size_t limit, MemoryBudget* parent = nullptr)
      : limit_(limit), parent_(parent) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Reserves `bytes` if so many are left; returns whether. Never throws.
  bool try_reserve(std::size_t bytes);
  /// Gives back what try_reserve() reserved.
  void release(std::size_t bytes);

  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_; }
  /// What can still be reserved, here and in the parent.
  std::size_t left() const;

 private:
  std::size_t limit_;
  MemoryBudget* parent_;
  std::atomic<std::size_t> used_{0};  ///< at most limit_
};

/// Reserved bytes of a budget, for the lifetime of this object. Move-only.
class Reservation {
 public:
  /// Reserves nothing.
  Reservation() = default;
  /// Reserves `bytes`, or none if fewer are left. The budget must outlive this.
  Reservation(MemoryBudget& budget, std::size_t bytes);
  Reservation(Reservation&& other) noexcept { swap(other); }
  Reservation& operator=(Reservation&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Reservation();

  /// The reserved bytes.
  std::size_t bytes() const { return bytes_; }
  /// Gives back all but `bytes`, which must not exceed bytes().
  void shrink(std::size_t bytes);

 private:
  void swap(Reservation& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
  }

  MemoryBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A DeviceBuffer whose bytes count in a budget while it lives. Move-only.
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

  /// Frees the old memory, then allocates `bytes`. Returns false, with no memory, if the budget or
  /// the GPU has too little left. The budget must outlive the buffer. Throws CudaError for all
  /// other failures.
  bool allocate(std::size_t bytes, MemoryBudget& budget, int device);
  /// Frees the memory.
  void reset();

  /// The memory; its size is 0 if there is none.
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
