// Parallel Merge Find: intersections against std::set_intersection.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "benchmarks/parallel_merge_find.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"

#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex {
namespace {

using List = std::vector<std::uint32_t>;

class MergeFind : public testing::Test {
 protected:
  /// The intersection from the GPU; `levels` of recursion.
  static List intersect(const List& a, const List& b, int levels) {
    const Stream stream;
    ListIntersection intersection(static_cast<std::uint32_t>(a.size()));
    DeviceArray<std::uint32_t> first(a.size());
    DeviceArray<std::uint32_t> second(b.size());
    DeviceArray<std::uint32_t> out(a.size() + 1);
    first.upload(a, stream);
    second.upload(b, stream);
    out.fill_bytes(0xA5, stream);
    intersection.run(first.data(), static_cast<std::uint32_t>(a.size()), second.data(),
                     static_cast<std::uint32_t>(b.size()), levels, out.data() + 1, out.data(),
                     stream);
    List back(a.size() + 1);
    out.download(back, stream);
    stream.synchronize();
    EXPECT_LE(back[0], a.size());
    back.resize(1 + std::min<std::size_t>(back[0], a.size()));
    back.erase(back.begin());
    return back;
  }

  static void check(const List& a, const List& b, const std::string& what) {
    List should;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(should));
    for (int levels = 0; levels <= kMaxMergeLevels; ++levels) {
      ASSERT_EQ(intersect(a, b, levels), should)
          << what << ", sizes " << a.size() << " and " << b.size() << ", levels " << levels;
    }
  }

  /// `size` rising values with random gaps of 1 to `gap`.
  static List random_list(std::size_t size, std::uint32_t gap, std::mt19937_64& random) {
    List list(size);
    std::uint32_t value = 0;
    for (std::uint32_t& element : list) {
      element = value;
      value += 1 + static_cast<std::uint32_t>(random() % gap);
    }
    return list;
  }
};

TEST_F(MergeFind, RandomListsOfUglySizes) {
  WARPDEX_NEEDS_GPU();
  auto random = test::generator(21);
  for (const std::size_t a : {0, 1, 31, 33, 127, 1023, 1024, 1025, 5000}) {
    for (const std::size_t b : {0, 1, 32, 129, 1024, 4097, 20'000}) {
      check(random_list(a, 3, random), random_list(b, 4, random), "dense");
      check(random_list(a, 40, random), random_list(b, 9, random), "sparse");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(MergeFind, LongLists) {
  WARPDEX_NEEDS_GPU();
  auto random = test::generator(22);
  for (const std::size_t a : {70'001, 400'000, 1'100'000}) {
    check(random_list(a, 7, random), random_list(1'500'000, 5, random), "long");
    check(random_list(a / 100, 500, random), random_list(1'500'000, 3, random), "short with long");
  }
}

TEST_F(MergeFind, EqualDisjointAndInterleavedLists) {
  WARPDEX_NEEDS_GPU();
  for (const std::uint32_t size : {1U, 1024U, 3000U, 50'000U}) {
    List even(size);
    std::iota(even.begin(), even.end(), 0U);
    for (std::uint32_t& value : even) value *= 2;
    List odd = even;
    for (std::uint32_t& value : odd) ++value;
    List above(size);
    std::iota(above.begin(), above.end(), 0xFFFFFFFFU - size + 1);
    check(even, even, "equal");
    check(even, odd, "interleaved");
    check(even, above, "all below");
    check(above, even, "all above");
    check(above, above, "up to the greatest value");
  }
}

TEST_F(MergeFind, RefusesWhatItCannotTake) {
  WARPDEX_NEEDS_GPU();
  EXPECT_THROW(intersect({1}, {1}, -1), UsageError);
  EXPECT_THROW(intersect({1}, {1}, kMaxMergeLevels + 1), UsageError);
  const Stream stream;
  ListIntersection small(2);
  EXPECT_THROW(small.run(nullptr, 3, nullptr, 0, 0, nullptr, nullptr, stream), UsageError);
}

}  // namespace
}  // namespace warpdex
