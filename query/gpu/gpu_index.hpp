// An index for a GPU: the bytes that are on disk, uploaded as they are. Where they do not all fit,
// kernels read the others in the host's memory, and what is worth most comes to the GPU's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// Where an index is put on a GPU.
struct GpuSettings {
  int device = 0;          ///< the GPU, from 0
  std::size_t memory = 0;  ///< bytes of its memory that index and searchers may take; 0: 90 % of
                           ///< what is free
  /// Bytes of the host's memory that may be page-locked for what the GPU's does not hold; 0: half
  /// of what is available.
  std::size_t host_memory = 0;
};

/// Why the engine cannot use a GPU, as a sentence; empty where it can: this build has no code for
/// it, or its shared memory is too small.
std::string why_gpu_unfit(const DeviceInfo& gpu);

/// Immutable, and shared by any number of GpuSearchers on any threads. Move-only.
class GpuIndex {
 public:
  /// Uploads `index`, which must outlive this, after its sections' checksums were compared.
  /// O(bytes). If `memory` does not hold the lists beside what every query needs (2 bytes a
  /// document, 4 more of each of 8,192 tokens and more, 4 with static scores, and scratch memory
  /// for a query), they are copied to the host's page-locked memory and searched there; those worth
  /// most are kept in what is left of `memory`. Throws CudaError where there is no such GPU or it
  /// is unfit, FormatError for damage, UsageError if `memory` does not even hold what every query
  /// needs.
  GpuIndex(const Index& index, const GpuSettings& settings);
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
  /// Bytes that neither it nor its searchers have taken so far.
  std::size_t memory_left() const;

  struct State;  ///< for searchers
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
