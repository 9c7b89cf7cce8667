// Launches kernels, checks for errors, and lets a kernel start while the one before it ends.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/chip.hpp"

namespace warpdex {

/// Must be the first statement of a kernel with Launch::overlaps, in all threads. Lets the next
/// kernel of the stream start, then waits until the kernel before has ended and its writes are
/// visible. So the start of a kernel, some 3 us, overlaps the end of the one before.
__device__ inline void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The second number of __launch_bounds__: so many CTAs of `threads` threads, or fewer where a
/// multiprocessor has room for fewer threads, as a T4's for 1,024.
constexpr std::uint32_t ctas_at_once(std::uint32_t threads, std::uint32_t wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return wanted * threads > 1024 ? 1024 / threads : wanted;
#else
  static_cast<void>(threads);
  return wanted;
#endif
}

/// CTAs of a kernel that the current GPU can hold at once. `bytes` is the dynamic shared memory of
/// one. Throws CudaError.
template <class Kernel>
std::uint32_t resident_ctas(Kernel kernel, std::uint32_t threads, std::size_t bytes) {
  int per_multiprocessor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel,
                                                           static_cast<int>(threads), bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const Chip& chip = current_chip();
  const auto held = static_cast<std::uint32_t>(per_multiprocessor) * chip.multiprocessors;
  return std::min(held, ctas_within_limits(chip, threads, bytes));
}

/// How a kernel is launched.
struct Launch {
  const char* name;               ///< for errors
  dim3 ctas;                      ///< 1 or more
  std::uint32_t threads;          ///< of a CTA
  std::size_t shared_memory = 0;  ///< bytes, dynamic
  cudaStream_t stream = nullptr;
  bool overlaps = false;      ///< it begins with wait_for_previous(), and the GPU has compute
                              ///< capability 9.0 or more
  std::uint32_t cluster = 1;  ///< CTAs of a cluster; ctas.x must be a multiple
};

/// A launch of a thread for each of `items` (1 or more) items, in CTAs of `threads` threads.
inline Launch launch_over(const char* name, std::size_t items, std::uint32_t threads,
                          cudaStream_t stream) {
  return {.name = name,
          .ctas = static_cast<unsigned>((items + threads - 1) / threads),
          .threads = threads,
          .stream = stream};
}

/// Queues a kernel. Throws CudaError, naming it, if it cannot start.
template <class... Parameters>
void launch(const Launch& how, void (*kernel)(Parameters...),
            const std::type_identity_t<Parameters>&... arguments) {
  cudaLaunchAttribute attributes[2]{};
  unsigned int count = 0;
  if (how.overlaps) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (how.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {how.cluster, 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = how.ctas;
  config.blockDim = how.threads;
  config.dynamicSmemBytes = how.shared_memory;
  config.stream = how.stream;
  config.attrs = attributes;
  config.numAttrs = count;
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), how.name);
}

}  // namespace warpdex
