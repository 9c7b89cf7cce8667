// What the shapes of kernels depend on. For the library's own GPU code (builds with CUDA only).
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex {

/// The limits of a GPU. The environment's WARPDEX_GPU may name a smaller one (t4, l4, a100), whose
/// limits hold where they are lower: so tests imitate GPUs that are not there.
struct Chip {
  const char* imitated;  ///< its name; empty: none is
  int capability;        ///< compute capability, 90 for 9.0
  std::uint32_t multiprocessors;
  std::uint32_t threads;               ///< of a multiprocessor
  std::size_t shared_memory;           ///< bytes of a multiprocessor
  std::size_t shared_memory_of_block;  ///< bytes, with the opt-in that kernels may ask for
  std::size_t memory;                  ///< bytes in all

  /// Clusters of CTAs, and kernels that start while the one before ends.
  bool has_clusters() const { return capability >= 90; }
};

/// Looked up once for each GPU. Throws CudaError, and UsageError where WARPDEX_GPU is none of these
/// names.
const Chip& chip_of(int device);
/// Of the current GPU.
const Chip& current_chip();

/// How many CTAs with so many threads and so much dynamic shared memory a GPU can hold at once, as
/// far as its threads and its shared memory go: registers may allow fewer. 1 or more.
std::uint32_t ctas_within_limits(const Chip& chip, std::uint32_t threads, std::size_t bytes);

}  // namespace warpdex
