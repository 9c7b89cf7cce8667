// The copy that measures a GPU's memory.
#include "benchmarks/copy_bandwidth.hpp"

#include <iostream>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex::tools {
namespace {

TEST(CudaCopyBandwidth, CopiesRightForEverySize) {
  WARPDEX_NEEDS_GPU();
  for (const std::size_t bytes : {16, 17, 4096, 16384, 16400, 1'000'003}) {
    const CopyBandwidth result = measure_copy_bandwidth(0, bytes, 2);
    EXPECT_EQ(result.bytes, bytes / 16 * 16);
    EXPECT_EQ(result.passes, 2);
    EXPECT_GT(result.gigabytes_per_second(), 0.0);
  }
  EXPECT_THROW(measure_copy_bandwidth(device_count()), CudaError);
  EXPECT_THROW(measure_copy_bandwidth(0, 15), UsageError);
  EXPECT_THROW(measure_copy_bandwidth(0, 1 << 20, 0), UsageError);
}

TEST(CudaCopyBandwidth, OfThisGpu) {
  WARPDEX_NEEDS_GPU();
  const CopyBandwidth result = measure_copy_bandwidth();
  std::cout << "copy of " << result.bytes << " bytes: " << result.gigabytes_per_second()
            << " GB/s read and written (median of " << result.passes << ")\n";
  EXPECT_GT(result.best_seconds, 0.0);
  EXPECT_LE(result.best_seconds, result.median_seconds);
}

TEST(CudaCopyBandwidth, IsBytesReadAndWrittenPerSecond) {
  CopyBandwidth result;
  EXPECT_EQ(result.gigabytes_per_second(), 0.0);
  result.bytes = 3'000'000'000;
  result.median_seconds = 2.0;
  EXPECT_DOUBLE_EQ(result.gigabytes_per_second(), 3.0);
}

}  // namespace
}  // namespace warpdex::tools
