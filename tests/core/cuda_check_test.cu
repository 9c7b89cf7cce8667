// The checks of calls and launches, with kernels that are launched wrongly and rightly.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex {
namespace {

__global__ void add_index(std::uint32_t* values, std::uint32_t size) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) values[i] += i;
}

std::string message_of(cudaError_t status, const char* call) {
  try {
    check_cuda(status, call);
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), static_cast<int>(status));
    return error.what();
  }
  return {};
}

TEST(CudaCheck, SuccessIsSilentAndFailureNamesTheCallAndTheWayOut) {
  EXPECT_EQ(message_of(cudaSuccess, "cudaFree"), "");
  const std::string message = message_of(cudaErrorMemoryAllocation, "cudaMalloc of 12 bytes");
  EXPECT_NE(message.find("cudaMalloc of 12 bytes failed"), std::string::npos) << message;
  EXPECT_NE(message.find("free GPU memory"), std::string::npos) << message;
  const std::string other = message_of(cudaErrorIllegalAddress, "cudaStreamSynchronize");
  EXPECT_NE(other.find("compute-sanitizer"), std::string::npos) << other;
}

TEST(CudaCheck, ALaunchThatCannotStartIsReportedOnce) {
  WARPDEX_NEEDS_GPU();
  add_index<<<1, 4096>>>(nullptr, 0);  // more threads than a block may have
  try {
    check_launch("add_index");
    FAIL() << "a block of 4096 threads started";
  } catch (const CudaError& error) {
    EXPECT_NE(std::string(error.what()).find("add_index"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(check_launch("add_index"));
}

TEST(CudaCheck, AKernelOfThisBuildRuns) {
  WARPDEX_NEEDS_GPU();
  const Stream stream;
  for (const std::uint32_t size : {1U, 31U, 32U, 33U, 255U, 256U, 257U, 100'000U}) {
    std::vector<std::uint32_t> values(size);
    std::iota(values.begin(), values.end(), 5);
    DeviceArray<std::uint32_t> array(size);
    array.upload(values, stream);
    add_index<<<(size + 255) / 256, 256, 0, stream.handle()>>>(array.data(), size);
    check_launch("add_index");
    std::vector<std::uint32_t> back(size);
    array.download(back, stream);
    stream.synchronize();
    for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(back[i], 2 * i + 5) << "size " << size;
  }
}

TEST(CudaCheck, CurrentDeviceIsPutBack) {
  WARPDEX_NEEDS_GPU();
  int before = -1;
  check_cuda(cudaGetDevice(&before), "cudaGetDevice");
  {
    const CurrentDevice last(device_count() - 1);
    int within = -1;
    check_cuda(cudaGetDevice(&within), "cudaGetDevice");
    EXPECT_EQ(within, device_count() - 1);
  }
  int after = -1;
  check_cuda(cudaGetDevice(&after), "cudaGetDevice");
  EXPECT_EQ(after, before);
  EXPECT_THROW(CurrentDevice{device_count()}, CudaError);
}

}  // namespace
}  // namespace warpdex
