// The sort in shared memory against std::sort.
#include <algorithm>

#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/select/block_sort.cuh"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex {
namespace {

// Work item: all keys, by one CTA.
template <typename Key>
__global__ void sort_keys(const Key* given, std::uint32_t count, Key* sorted) {
  extern __shared__ __align__(16) unsigned char dynamic_memory[];
  auto* const keys = reinterpret_cast<Key*>(dynamic_memory);
  const auto load = [&](std::uint32_t i) { return given[i]; };
  sort_block(count, load, keys, keys + room_to_sort(count));
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) sorted[i] = keys[i];
}

template <typename Key>
class BlockSort : public testing::Test {
 protected:
  static std::vector<Key> sort(const std::vector<Key>& keys, std::uint32_t threads) {
    const Stream stream;
    const auto count = static_cast<std::uint32_t>(keys.size());
    DeviceArray<Key> given(count);
    DeviceArray<Key> sorted(count);
    given.upload(keys, stream);
    const std::size_t bytes = 2 * room_to_sort(count) * sizeof(Key);
    check_cuda(cudaFuncSetAttribute(sort_keys<Key>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)),
               "cudaFuncSetAttribute");
    sort_keys<<<1, threads, bytes, stream.handle()>>>(given.data(), count, sorted.data());
    check_launch("sort_keys");
    std::vector<Key> back(count);
    sorted.download(back, stream);
    stream.synchronize();
    return back;
  }
};

using KeyTypes = testing::Types<std::uint32_t, unsigned long long>;
TYPED_TEST_SUITE(BlockSort, KeyTypes);

TYPED_TEST(BlockSort, SortsKeysOfAnyNumber) {
  WARPDEX_NEEDS_GPU();
  auto random = test::generator(606);
  for (const std::uint32_t count : {1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 96U, 97U, 1'023U, 1'024U,
                                    1'025U, 2'047U, 2'048U, 2'049U, 5'000U, 10'000U}) {
    for (const int bits : {64, 4}) {  // the latter: most are equal
      std::vector<TypeParam> keys(count);
      for (TypeParam& key : keys) key = static_cast<TypeParam>(random() >> (64 - bits));
      std::vector<TypeParam> should = keys;
      std::sort(should.begin(), should.end());
      for (const std::uint32_t threads : {32U, 512U}) {
        ASSERT_EQ(this->sort(keys, threads), should)
            << count << " keys of " << bits << " bits, " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
