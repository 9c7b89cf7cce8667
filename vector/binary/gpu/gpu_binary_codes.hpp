// Binary codes in GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::vector {

/// Immutable after construction, but for the account of memory.
class GpuBinaryCodes {
 public:
  /// Copies the codes to the GPU. `memory`: as for GpuSearchSettings. Throws Error, which says how
  /// much is needed, where there is too little memory.
  GpuBinaryCodes(const BinaryVectors& vectors, Resources& resources, std::size_t memory);

  const BinaryVectors& host() const { return host_; }
  const DeviceBinaryCodes& on_gpu() const { return codes_; }
  std::uint32_t count() const { return codes_.rows; }
  std::uint32_t dimension() const { return codes_.dimension; }
  int device() const { return device_; }
  /// Whether kernels may start while the ones before them end.
  bool overlaps_launches() const { return overlaps_launches_; }
  /// The account that all of it, and the scratch memory of searches, count in.
  MemoryBudget& memory() const { return memory_; }
  /// The largest absolute value of a term, or 0; NaN where one is.
  float max_term() const { return max_term_; }
  /// The largest of the factors, or 1; likewise.
  float max_factor() const { return max_factor_; }

 private:
  BinaryVectors host_;
  int device_;
  bool overlaps_launches_ = false;
  mutable MemoryBudget memory_;
  AccountedBuffer buffer_;
  DeviceBinaryCodes codes_;
  float max_term_ = 0;
  float max_factor_ = 1;
};

}  // namespace warpdex::vector
