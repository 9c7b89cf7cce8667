// Decides which GPUs the engine can use. Part of every build.
#include "gpu/layout/layout.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {

std::string why_gpu_unfit(const DeviceInfo& gpu) {
  if (gpu.shared_memory_per_block < gpu::kNeededSharedMemory) {
    return "the GPU " + gpu.name + " has " + std::to_string(gpu.shared_memory_per_block >> 10) +
           " KiB of shared memory for a block of threads, and the GPU engine needs " +
           std::to_string(gpu::kNeededSharedMemory >> 10) +
           ", as A100, H100, H200 and B200 have; use such a GPU, or --device cpu";
  }
  if (gpu.code_capability == 0) {
    const std::string capability =
        std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor);
    const std::string architecture =
        std::to_string(gpu.compute_major) + std::to_string(gpu.compute_minor);
    return "this build has no code for the GPU " + gpu.name + ", of compute capability " +
           capability + "; configure it with -DCMAKE_CUDA_ARCHITECTURES=" + architecture +
           " or use --device cpu";
  }
  return {};
}

}  // namespace warpdex
