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
  if (capability < kLeastCapability || gpu.shared_memory_per_block < gpu::kLeastSharedMemory) {
    return "the GPU " + gpu.name + " has compute capability " + capability_text(capability) +
           ", and the GPU engine needs " + capability_text(kLeastCapability) +
           ", as a T4 has, or more; use such a GPU, or --device cpu";
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
