// One thread's search in a bit set (codecs/device/bit_search.cuh), against counting on the host:
// every docID of blocks of all alignments, spans around whole words, and densities.
#include "warpdex/codecs/device/bit_search.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

/// A block, and how far a docID is from the first that it could have.
struct Search {
  std::uint32_t at;  ///< byte among all
  std::uint32_t count;
  std::uint32_t span;
  std::uint32_t distance;
};

__global__ void find_all(const std::uint8_t* bytes, const Search* searches, std::uint32_t count,
                         std::uint32_t* places) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Search& search = searches[i];
  places[i] = device::find_in_bits(bytes + search.at, search.count, {search.distance, search.span});
}

/// Blocks one after the other, each search in them, and what is to be found.
struct Searches {
  /// A block of `span` bits, of which the last is set and others as `is_set` says; at an address
  /// that is `alignment` past a whole word, with bits set before and behind it.
  template <class IsSet>
  void add(std::uint32_t span, std::uint32_t alignment, IsSet is_set) {
    while (bytes.size() % 4 != alignment) bytes.push_back(0xFF);
    const auto at = static_cast<std::uint32_t>(bytes.size());
    bytes.resize(at + (span + 7) / 8, 0);
    std::vector<std::uint32_t> ranks(span, device::kAbsent);
    std::uint32_t ones = 0;
    for (std::uint32_t bit = 0; bit < span; ++bit) {
      if (bit + 1 < span && !is_set(bit)) continue;
      bytes[at + bit / 8] |= static_cast<std::uint8_t>(1U << bit % 8);
      ranks[bit] = ones++;
    }
    for (std::uint32_t bit = span; bit % 8 != 0; ++bit) {
      bytes[at + bit / 8] |= static_cast<std::uint8_t>(1U << bit % 8);
    }
    for (std::uint32_t bit = 0; bit < span; ++bit) {
      searches.push_back({at, ones, span, bit});
      places.push_back(ranks[bit]);
    }
  }

  std::vector<std::uint8_t> bytes;
  std::vector<Search> searches;
  std::vector<std::uint32_t> places;
};

TEST(BitSearch, FindsTheRankOfEachBit) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  auto random = test::generator(31);
  Searches expected;
  for (const std::uint32_t span :
       {1,  2,   7,   8,   9,   23,  24,  25,  31,  32,   33,   63,   64,
        65, 127, 128, 129, 160, 255, 256, 257, 500, 1000, 1024, 1279, 1280}) {
    for (std::uint32_t alignment = 0; alignment < 4; ++alignment) {
      expected.add(span, alignment, [](std::uint32_t) { return true; });
      expected.add(span, alignment, [](std::uint32_t) { return false; });
      expected.add(span, alignment, [&](std::uint32_t) { return random() % 2 == 0; });
      expected.add(span, alignment, [&](std::uint32_t) { return random() % 10 == 0; });
    }
  }
  expected.bytes.resize(expected.bytes.size() + kReadSlack, 0xFF);

  const Stream stream;
  const auto count = static_cast<std::uint32_t>(expected.searches.size());
  DeviceArray<std::uint8_t> bytes(expected.bytes.size());
  DeviceArray<Search> searches(count);
  DeviceArray<std::uint32_t> places(count);
  bytes.upload(expected.bytes, stream);
  searches.upload(expected.searches, stream);
  places.fill_bytes(0xA5, stream);
  find_all<<<(count + 127) / 128, 128, 0, stream.handle()>>>(bytes.data(), searches.data(), count,
                                                             places.data());
  std::vector<std::uint32_t> found(count);
  places.download(found, stream);
  stream.synchronize();
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_EQ(found[i], expected.places[i])
        << "bit " << expected.searches[i].distance << " of " << expected.searches[i].span
        << ", byte " << expected.searches[i].at % 4 << " of a word";
  }
}

}  // namespace
}  // namespace warpdex
