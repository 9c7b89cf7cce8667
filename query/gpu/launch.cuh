// Launches of kernels that follow one another. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include <type_traits>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/layout.hpp"

namespace warpdex::gpu {

/// The first thing that every kernel here does, in all threads: lets the next kernel of the stream
/// begin to start, and waits until the one before has ended and its writes are seen. So a kernel's
/// start, some 3 us, overlaps the end of the one before, in batches that are launched so.
__device__ inline void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// CTAs of a kernel that the current GPU holds at once. Throws CudaError.
template <class Kernel>
std::uint32_t resident_ctas(Kernel kernel, std::uint32_t threads, std::size_t bytes) {
  int per_multiprocessor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel,
                                                           static_cast<int>(threads), bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  int device = 0;
  int multiprocessors = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  return static_cast<std::uint32_t>(per_multiprocessor * multiprocessors);
}

/// Launches a kernel that begins with wait_for_previous(), as clusters of `team` CTAs where that is
/// not 1. Throws CudaError, naming it, if it cannot start.
template <class... Arguments>
void launch_teams(const char* name, void (*kernel)(Batch, Arguments...), std::uint32_t team,
                  dim3 teams, std::uint32_t threads, std::size_t bytes, cudaStream_t stream,
                  const Batch& batch, const std::type_identity_t<Arguments>&... arguments) {
  cudaLaunchAttribute attributes[2]{};
  unsigned int count = 0;
  if (batch.overlaps_launches) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (team > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {team, 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(teams.x * team, teams.y, teams.z);
  config.blockDim = threads;
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  check_cuda(cudaLaunchKernelEx(&config, kernel, batch, arguments...), name);
}

/// The same without clusters.
template <class... Arguments>
void launch(const char* name, void (*kernel)(Batch, Arguments...), dim3 ctas, std::uint32_t threads,
            std::size_t bytes, cudaStream_t stream, const Batch& batch,
            const std::type_identity_t<Arguments>&... arguments) {
  launch_teams(name, kernel, 1, ctas, threads, bytes, stream, batch, arguments...);
}

}  // namespace warpdex::gpu
