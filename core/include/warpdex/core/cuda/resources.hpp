// What all users of one GPU in a process share: accounts of its memory for text indexes, vector
// indexes, caches and scratch memory.
#pragma once

#include <cstddef>

#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex {

struct ResourceSettings {
  int device = 0;  ///< the GPU, from 0
  /// Bytes of the GPU's memory that all users together may take; 0: 90 % of what is free.
  std::size_t memory = 0;
  /// Bytes of page-locked host memory that they may take together; 0: half of what is available.
  std::size_t host_memory = 0;
};

/// Made once for each GPU that a process uses, and passed to every index on it. Must outlive them.
/// Any thread; not movable.
class Resources {
 public:
  /// Takes no memory yet. Throws CudaError where there is no such GPU.
  explicit Resources(const ResourceSettings& settings = {});
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  /// The GPU, from 0.
  int device() const { return device_; }
  /// The account of GPU memory.
  MemoryBudget& memory() { return memory_; }
  /// The account of page-locked host memory that is kept: copies of what does not fit on the GPU.
  MemoryBudget& host_memory() { return host_memory_; }

 private:
  int device_;
  MemoryBudget memory_;
  MemoryBudget host_memory_;
};

}  // namespace warpdex
