// An index in GPU memory: the bytes of the files, uploaded unchanged. If not all lists fit, the
// lists that are used most are kept there, and kernels read the others in host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

struct GpuIndexSettings {
  /// Bytes of GPU memory that the index and its engines may take; 0: all that the Resources have
  /// left.
  std::size_t memory = 0;
  /// The part of them that its engines may take as scratch memory, or more if a single query needs
  /// it; 0: all that is left.
  std::size_t scratch = 0;
};

/// Why the engine cannot use a GPU, as a sentence; empty if it can. The reasons: this build has no
/// code for it, or its shared memory is too small.
std::string why_gpu_unfit(const DeviceInfo& gpu);

/// Immutable, and shared by any number of engines on any threads. Move-only.
class GpuIndex {
 public:
  /// Checks the checksums of `index` and uploads it. Index and resources must outlive this.
  /// O(bytes). What every query needs is always in GPU memory: 2 bytes a document, 4 more for each
  /// document of 8,192 tokens or more, 4 more with static scores, and scratch memory for a query.
  /// If the lists do not fit as well, they are copied to page-locked host memory, and the rest of
  /// the GPU's memory caches those with the most uses per byte. Throws CudaError if the GPU is
  /// unfit, FormatError for damage, UsageError if even what every query needs does not fit.
  GpuIndex(const Index& index, Resources& resources, const GpuIndexSettings& settings = {});
  GpuIndex(GpuIndex&&) noexcept;
  GpuIndex& operator=(GpuIndex&&) noexcept;
  ~GpuIndex();

  /// The index that was uploaded.
  const Index& index() const;
  /// The GPU.
  int device() const;
  /// Whether all lists are always in GPU memory.
  bool is_resident() const;
  /// Whether a list of 128 postings or more is in GPU memory now. On any thread; O(1).
  bool has_list(const PostingsEntry& list) const;
  /// Bytes of GPU memory that the index takes, including its cache of lists.
  std::size_t memory() const;
  /// Bytes that the index and its engines may still take.
  std::size_t memory_left() const;

  struct State;  ///< for engines
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
