// Which GPUs the engine takes, by what the CUDA programming guide says of their shared memory.
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

TEST(GpuFitness, TakesLargeGpus) {
  EXPECT_EQ(why_gpu_unfit(gpu_of(80, 163)), "");
  for (const int capability : {90, 100}) EXPECT_EQ(why_gpu_unfit(gpu_of(capability, 227)), "");
}

/// Nothing known; 7.0; 7.5; 8.9 and 12.0; none.
TEST(GpuFitness, SaysWhatOthersLack) {
  for (const DeviceInfo& gpu :
       {gpu_of(0, 0), gpu_of(70, 96), gpu_of(75, 64), gpu_of(89, 99), gpu_of(80, 162)}) {
    const std::string why = why_gpu_unfit(gpu);
    EXPECT_NE(why.find("Test GPU"), std::string::npos) << why;
    EXPECT_NE(why.find(std::to_string(gpu.shared_memory_per_block >> 10) + " KiB"),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("--device cpu"), std::string::npos) << why;
  }
}

TEST(GpuFitness, SmallerOnesMayBeImitated) {
  for (DeviceInfo gpu : {gpu_of(75, 64), gpu_of(89, 99)}) {
    gpu.is_imitated = true;
    EXPECT_EQ(why_gpu_unfit(gpu), "");
  }
  DeviceInfo none = gpu_of(75, 63);
  none.is_imitated = true;
  EXPECT_NE(why_gpu_unfit(none), "");
}

TEST(GpuFitness, SaysThatThereIsNoCode) {
  DeviceInfo gpu = gpu_of(80, 163);
  gpu.code_capability = 0;
  const std::string why = why_gpu_unfit(gpu);
  for (const char* const part :
       {"Test GPU", "8.0", "CMAKE_CUDA_ARCHITECTURES=80", "--device cpu"}) {
    EXPECT_NE(why.find(part), std::string::npos) << why;
  }
  gpu.shared_memory_per_block = 99 << 10;  // code for it would not help
  EXPECT_EQ(why_gpu_unfit(gpu).find("CMAKE_CUDA_ARCHITECTURES"), std::string::npos);
}

}  // namespace
}  // namespace warpdex
