// Decides which GPUs the engine can use. Part of every build.
#include "gpu/layout/layout.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {
namespace {

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace

std::string why_gpu_unfit(const DeviceInfo& gpu) {
  constexpr int kLeastCapability = 75;
  const int capability = 10 * gpu.compute_major + gpu.compute_minor;
  const std::size_t least = gpu.is_imitated ? gpu::kLeastSharedMemory : gpu::kTriedSharedMemory;
  if (capability < kLeastCapability || gpu.shared_memory_per_block < least) {
    return "the GPU " + gpu.name + " has " + std::to_string(gpu.shared_memory_per_block >> 10) +
           " KiB of shared memory for a block of threads, and the GPU engine needs " +
           std::to_string(least >> 10) +
           ", as A100, H100, H200 and B200 have; use such a GPU, or --device cpu";
  }
  if (gpu.code_capability == 0) {
    return "this build has no code for the GPU " + gpu.name + ", of compute capability " +
           capability_text(capability) +
           "; configure it with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(capability) +
           " or use --device cpu";
  }
  return {};
}

}  // namespace warpdex
