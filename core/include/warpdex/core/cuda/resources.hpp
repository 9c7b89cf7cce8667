// What a process has of one GPU, shared by all that work there: text indexes, vector indexes, their
// caches and scratch memory.
#pragma once

#include <cstddef>

#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex {

struct ResourceSettings {
  int device = 0;  ///< the GPU, from 0
  /// Bytes of its memory that all users together may take; 0: 90 % of what is free.
  std::size_t memory = 0;
  /// Bytes of the host's memory that they may have page-locked together; 0: half of what is
  /// available.
  std::size_t host_memory = 0;
};

/// Made once for each GPU that a process uses, and handed to every index on it. Outlives them. Any
/// thread; not moved.
class Resources {
 public:
  /// Takes no memory yet. Throws CudaError where there is no such GPU.
  explicit Resources(const ResourceSettings& settings = {});
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  /// The GPU, from 0.
  int device() const { return device_; }
  /// The account of the GPU's memory.
  MemoryBudget& memory() { return memory_; }
  /// The account of page-locked memory on the host that stays: copies of what the GPU lacks.
  MemoryBudget& host_memory() { return host_memory_; }

 private:
  int device_;
  MemoryBudget memory_;
  MemoryBudget host_memory_;
};

}  // namespace warpdex
