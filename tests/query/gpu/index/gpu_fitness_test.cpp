// Which GPUs the engine takes, by the shared memory that the CUDA programming guide says they have.
#include <gtest/gtest.h>

#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {
namespace {

DeviceInfo gpu_of(int capability, std::size_t kibibytes) {
  DeviceInfo gpu;
  gpu.name = "Test GPU";
  gpu.compute_major = capability / 10;
  gpu.compute_minor = capability % 10;
  gpu.shared_memory_per_block = kibibytes << 10;
  gpu.code_capability = 75;
  return gpu;
}

TEST(GpuFitness, TakesThoseFromCapability75On) {
  for (const DeviceInfo& gpu : {gpu_of(75, 64), gpu_of(80, 163), gpu_of(86, 99), gpu_of(89, 99),
                                gpu_of(90, 227), gpu_of(100, 227), gpu_of(120, 99)}) {
    EXPECT_EQ(why_gpu_unfit(gpu), "");
  }
}

/// Nothing known; 6.1; 7.0; a slice without the memory that its like has.
TEST(GpuFitness, SaysWhatOthersLack) {
  for (const DeviceInfo& gpu : {gpu_of(0, 0), gpu_of(61, 48), gpu_of(70, 96), gpu_of(75, 63)}) {
    const std::string why = why_gpu_unfit(gpu);
    for (const std::string& part :
         {std::string("Test GPU"),
          std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor),
          std::string("7.5"), std::string("--device cpu")}) {
      EXPECT_NE(why.find(part), std::string::npos) << why;
    }
  }
}

TEST(GpuFitness, SaysThatThereIsNoCode) {
  DeviceInfo gpu = gpu_of(80, 163);
  gpu.code_capability = 0;
  const std::string why = why_gpu_unfit(gpu);
  for (const char* const part :
       {"Test GPU", "8.0", "CMAKE_CUDA_ARCHITECTURES=80", "--device cpu"}) {
    EXPECT_NE(why.find(part), std::string::npos) << why;
  }
  gpu.compute_major = 7;  // code for it would not help
  EXPECT_EQ(why_gpu_unfit(gpu).find("CMAKE_CUDA_ARCHITECTURES"), std::string::npos);
}

}  // namespace
}  // namespace warpdex
