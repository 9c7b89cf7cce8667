// The GPU's types, through their public headers alone. Needs no files of the machine it was built
// on, so that it can be carried to one with a GPU.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/caller_memory.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream.hpp"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex {
namespace {

TEST(CudaDevice, NoDeviceIsNoErrorButHasAReason) {
  const int count = device_count();
  ASSERT_GE(count, 0);
  EXPECT_EQ(count == 0, !why_no_device().empty()) << why_no_device();
  EXPECT_TRUE(built_with_cuda() || count == 0);
}

TEST(CudaDevice, ADeviceThatIsNotThereIsRefused) {
  const int missing = device_count();
  EXPECT_THROW(device_info(missing), CudaError);
  EXPECT_THROW(Stream{missing}, CudaError);
  EXPECT_THROW(Event{missing}, CudaError);
  EXPECT_THROW(DeviceBuffer(16, missing), CudaError);
  try {
    device_info(missing);
  } catch (const CudaError& error) {
    EXPECT_NE(error.code(), 0);
    EXPECT_GT(std::string(error.what()).size(), 40U) << error.what();
  }
}

TEST(CudaDevice, TellsWhatItIs) {
  WARPDEX_NEEDS_GPU();
  for (int device = 0; device < device_count(); ++device) {
    const DeviceInfo info = device_info(device);
    EXPECT_EQ(info.device, device);
    EXPECT_FALSE(info.name.empty());
    EXPECT_GT(info.multiprocessors, 0);
    EXPECT_GT(info.compute_major, 0);
    EXPECT_GT(info.code_capability, 0) << "configure for this GPU: CMAKE_CUDA_ARCHITECTURES";
    EXPECT_GT(info.memory, std::size_t{1} << 28);
    EXPECT_LE(info.free_memory, info.memory);
    EXPECT_GE(info.shared_memory_per_block, 48U << 10);
    EXPECT_GE(info.driver_version, info.runtime_version);
    EXPECT_NE(info.to_string().find(info.name), std::string::npos);
    std::cout << info.to_string() << '\n';
  }
}

TEST(CudaBuffer, BytesComeBackForEverySize) {
  WARPDEX_NEEDS_GPU();
  auto random = test::generator(11);
  const Stream stream;
  for (const std::size_t size : {0, 1, 31, 32, 33, 127, 128, 129, 4095, 4097, 1 << 20}) {
    std::vector<std::uint32_t> values(size);
    std::generate(values.begin(), values.end(),
                  [&] { return static_cast<std::uint32_t>(random()); });
    DeviceArray<std::uint32_t> array(size);
    EXPECT_EQ(array.data() == nullptr, size == 0);
    array.fill_bytes(0xEE, stream);
    array.upload(values, stream);
    std::vector<std::uint32_t> back(size, 0x12345678);
    array.download(back, stream);
    stream.synchronize();
    ASSERT_EQ(back, values) << "size " << size;
  }
}

TEST(CudaBuffer, OffsetsCountValuesAndRangesAreChecked) {
  WARPDEX_NEEDS_GPU();
  const Stream stream;
  DeviceArray<std::uint64_t> array(100);
  std::vector<std::uint64_t> values(100);
  std::iota(values.begin(), values.end(), 1);
  array.upload(values, stream);
  const std::vector<std::uint64_t> patch{7, 8, 9};
  array.upload(patch, stream, 97);
  std::copy(patch.begin(), patch.end(), values.begin() + 97);
  std::vector<std::uint64_t> tail(50);
  array.download(tail, stream, 50);
  stream.synchronize();
  EXPECT_TRUE(std::equal(tail.begin(), tail.end(), values.begin() + 50));
  EXPECT_THROW(array.upload(patch, stream, 98), UsageError);
  EXPECT_THROW(array.download(tail, stream, 51), UsageError);
  EXPECT_THROW(array.download(tail, stream, SIZE_MAX / 8), UsageError);
}

TEST(CudaBuffer, MovesLeaveOneOwner) {
  WARPDEX_NEEDS_GPU();
  DeviceBuffer first(1000);
  void* const memory = first.data();
  DeviceBuffer second(std::move(first));
  EXPECT_EQ(second.data(), memory);
  DeviceBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), memory);
  EXPECT_EQ(third.size(), 1000U);
}

TEST(CudaBuffer, TooMuchMemoryIsAnErrorThatDoesNotStick) {
  WARPDEX_NEEDS_GPU();
  const std::size_t too_much = std::size_t{1} << 50;
  try {
    const DeviceBuffer buffer(too_much);
    FAIL() << "got " << too_much << " bytes";
  } catch (const CudaError& error) {
    EXPECT_NE(std::string(error.what()).find("cudaMalloc of " + std::to_string(too_much)),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(DeviceBuffer(1 << 20));
}

TEST(CudaEvent, OrdersStreamsAndMeasures) {
  WARPDEX_NEEDS_GPU();
  const Stream writer;
  const Stream reader;
  Event start;
  Event written;
  DeviceBuffer buffer(64 << 20);
  std::vector<std::uint8_t> back(buffer.size());
  start.record(writer);
  for (int pass = 1; pass <= 20; ++pass) buffer.fill(static_cast<std::uint8_t>(pass), writer);
  written.record(writer);
  written.make_wait(reader);
  buffer.download(back, reader);
  reader.synchronize();
  EXPECT_TRUE(written.has_passed());
  EXPECT_TRUE(std::all_of(back.begin(), back.end(), [](std::uint8_t byte) { return byte == 20; }));
  EXPECT_GT(written.seconds_since(start), 0.0);
}

TEST(CudaCallerMemory, IsFoundByAPointerIntoIt) {
  WARPDEX_NEEDS_GPU();
  const DeviceArray<int> array(100);
  const int on_host = 0;
  EXPECT_EQ(device_of(array.data()), 0);
  EXPECT_EQ(device_of(array.data() + 50), 0);
  EXPECT_EQ(device_of(&on_host), -1);
}

TEST(CudaCallerMemory, NumbersAreWidenedWhereTheyLie) {
  WARPDEX_NEEDS_GPU();
  const Stream stream;
  for (const std::size_t count :
       {1U, 2U, 3U, 1024U, 1025U, 8191U, 8192U, 8193U, 50'000U, 1'000'003U}) {
    std::vector<std::int32_t> narrow(2 * count);  // of which the second half is read
    for (std::size_t i = 0; i < narrow.size(); ++i) {
      narrow[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(i * 2'654'435'761U));
    }
    DeviceArray<std::int64_t> numbers(count);
    std::vector<std::int64_t> given(count);
    std::memcpy(given.data(), narrow.data(), count * sizeof(std::int64_t));
    numbers.upload(given, stream);
    stream.synchronize();
    widen_in_place(numbers.data(), count, 0);
    std::vector<std::int64_t> found(count);
    numbers.download(found, stream);
    stream.synchronize();
    const auto middle = narrow.begin() + static_cast<std::ptrdiff_t>(count);
    EXPECT_EQ(found, std::vector<std::int64_t>(middle, narrow.end())) << count;
  }
}

}  // namespace
}  // namespace warpdex
