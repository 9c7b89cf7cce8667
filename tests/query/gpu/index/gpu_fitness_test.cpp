// Which GPUs the engine takes, by what the CUDA programming guide says of their shared memory.
#include <gtest/gtest.h>

#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {
namespace {

DeviceInfo gpu_with(std::size_t kibibytes) {
  DeviceInfo gpu;
  gpu.name = "Test GPU";
  gpu.shared_memory_per_block = kibibytes << 10;
  gpu.code_capability = 80;
  return gpu;
}

TEST(GpuFitness, TakesLargeGpus) {
  EXPECT_EQ(why_gpu_unfit(gpu_with(227)), "");  // 9.0, 10.0
  EXPECT_EQ(why_gpu_unfit(gpu_with(163)), "");  // 8.0
}

TEST(GpuFitness, SaysWhatOthersLack) {
  for (const std::size_t kibibytes : {0, 64, 99, 162}) {  // nothing known, 7.5, 8.6 and 12.0, none
    const std::string why = why_gpu_unfit(gpu_with(kibibytes));
    EXPECT_NE(why.find("Test GPU"), std::string::npos) << why;
    EXPECT_NE(why.find(std::to_string(kibibytes) + " KiB"), std::string::npos) << why;
    EXPECT_NE(why.find("--device cpu"), std::string::npos) << why;
  }
}

TEST(GpuFitness, SaysThatThereIsNoCode) {
  DeviceInfo gpu = gpu_with(163);
  gpu.compute_major = 8;
  gpu.compute_minor = 0;
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
