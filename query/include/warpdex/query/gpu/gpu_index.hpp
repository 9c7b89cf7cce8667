// An index for a GPU: the bytes that are on disk, uploaded as they are. Where they do not all fit,
// kernels read the others in the host's memory, and what is worth most comes to the GPU's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

struct GpuIndexSettings {
  /// Bytes of GPU memory that the index and its engines may take of what the Resources have left;
  /// 0: all of it.
  std::size_t memory = 0;
};

/// Why the engine cannot use a GPU, as a sentence; empty where it can: this build has no code for
/// it, or its shared memory is too small.
std::string why_gpu_unfit(const DeviceInfo& gpu);

/// Immutable, and shared by any number of engines on any threads. Move-only.
class GpuIndex {
 public:
  /// Uploads `index` after its sections' checksums were compared. Index and resources outlive this.
  /// O(bytes). If the memory does not hold the lists beside what every query needs (2 bytes a
  /// document, 4 more of each of 8,192 tokens and more, 4 with static scores, and scratch memory
  /// for a query), they are copied to the host's page-locked memory and searched there; those worth
  /// most are kept in what is left of the GPU's. Throws CudaError where the GPU is unfit,
  /// FormatError for damage, UsageError if the memory does not even hold what every query needs.
  GpuIndex(const Index& index, Resources& resources, const GpuIndexSettings& settings = {});
  GpuIndex(GpuIndex&&) noexcept;
  GpuIndex& operator=(GpuIndex&&) noexcept;
  ~GpuIndex();

  /// The index that was uploaded.
  const Index& index() const;
  /// The GPU.
  int device() const;
  /// Whether all lists are in GPU memory for good.
  bool is_resident() const;
  /// Bytes of GPU memory that the index takes, with the memory for lists that come and go.
  std::size_t memory() const;
  /// Bytes that it and its engines may still take.
  std::size_t memory_left() const;

  struct State;  ///< for engines
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
