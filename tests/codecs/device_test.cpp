// The device decoders give what the encoders were given, and what the host's decoders give: whole
// blocks of docIDs and of values, and single values.
#include <algorithm>

#include "tests/codecs/device_decoding.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::test {
namespace {

class DeviceDecoder : public testing::TestWithParam<CodecSettings> {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }

  void add_docids(DeviceDecoding& decoding, const Values& docids, const std::string& name) {
    for (const bool dense : {false, true}) {
      decoding.add(docids, encode_docids(GetParam(), docids, dense), name);
    }
  }
  void add_values(DeviceDecoding& decoding, const Values& values, const std::string& name) {
    decoding.add(values, encode_values(GetParam(), values), name);
  }
};

/// Calls add(shape, count) for every shape and size.
template <typename Add>
void for_each_list(Add add) {
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) add(static_cast<Shape>(shape), count);
  }
}

TEST_P(DeviceDecoder, DocidsOfEveryShapeAndSize) {
  std::mt19937_64 random = generator(101);
  DeviceDecoding decoding(GetParam());
  for_each_list([&](Shape shape, std::size_t count) {
    add_docids(decoding, make_docids(shape, count, random), describe(GetParam(), shape, count));
  });
  decoding.check(What::kDocids);
  decoding.check_host_docids(random);
}

TEST_P(DeviceDecoder, ValuesOfEveryShapeAndSize) {
  std::mt19937_64 random = generator(102);
  DeviceDecoding decoding(GetParam());
  for_each_list([&](Shape shape, std::size_t count) {
    add_values(decoding, make_values(shape, count, random), describe(GetParam(), shape, count));
  });
  decoding.check(What::kValues);
  decoding.check(What::kUsualValues);
  decoding.check(What::kEachAlone);
  decoding.check_host_values(random);
}

TEST_P(DeviceDecoder, EveryWidth) {
  std::mt19937_64 random = generator(103);
  DeviceDecoding decoding(GetParam());
  for (std::uint32_t width = 0; width <= 32; ++width) {
    for (const std::size_t count : {5, 127, 128, 300}) {
      Values values(count);
      for (std::uint32_t& value : values) {
        value = width == 0 ? 0 : static_cast<std::uint32_t>(random()) >> (32 - width);
      }
      add_values(decoding, values, "width " + std::to_string(width));
    }
  }
  decoding.check(What::kValues);
  decoding.check(What::kUsualValues);
  decoding.check(What::kEachAlone);
}

/// Long enough that exceptions have exceptions, that themselves have some.
TEST_P(DeviceDecoder, LongLists) {
  std::mt19937_64 random = generator(104);
  DeviceDecoding docids(GetParam());
  DeviceDecoding values(GetParam());
  for (const Shape shape : {Shape::kGeometric, Shape::kClustered, Shape::kZipf}) {
    const std::string name = describe(GetParam(), shape, 100'000);
    add_docids(docids, make_docids(shape, 100'000, random), name);
    add_values(values, make_values(shape, 100'000, random), name);
  }
  docids.check(What::kDocids);
  docids.check_host_docids(random);
  values.check(What::kValues);
  values.check(What::kUsualValues);
  values.check(What::kEachAlone);
}

/// Widths of each level's array that differ more from level to level than those of real lists.
TEST_P(DeviceDecoder, ExceptionsOfExceptions) {
  std::mt19937_64 random = generator(105);
  DeviceDecoding decoding(GetParam());
  for (int i = 0; i < 8; ++i) {
    Values values(60'000);
    for (std::uint32_t& value : values) {
      std::uint32_t width = 1 + i % 4;
      while (width < 32 && random() % 5 == 0) width += 3;
      value = static_cast<std::uint32_t>(random()) >> (32 - std::min(width, 32U));
    }
    for (std::size_t at = 0; at < values.size(); at += 1 + random() % 4000) {
      for (std::size_t j = at; j < std::min(values.size(), at + 60); ++j) values[j] |= 1U << 20;
    }
    add_values(decoding, values, "steps of exceptions, " + std::to_string(i));
  }
  decoding.check(What::kValues);
  decoding.check(What::kUsualValues);
  decoding.check(What::kEachAlone);
}

/// Blocks without exceptions beside blocks of nothing else, in lists of as many blocks as a group
/// of the block arrays has, one less and one more; high bits that differ by blocks of exceptions
/// and take up to four bytes. The last list's last value, at the end of memory, is an exception.
TEST_P(DeviceDecoder, BlocksOfUnequalExceptions) {
  std::mt19937_64 random = generator(107);
  DeviceDecoding decoding(GetParam());
  for (const std::size_t blocks : {1, 2, 31, 32, 33, 64, 65, 200}) {
    for (const std::uint32_t widest : {9, 15, 31}) {
      const Values values = make_unequal_exceptions(blocks, widest, random);
      add_values(decoding, values,
                 std::to_string(blocks) + " blocks, to " + std::to_string(widest) + " bits");
    }
  }
  decoding.check(What::kValues);
  decoding.check(What::kUsualValues);
  decoding.check(What::kEachAlone);
  decoding.check_host_values(random);
}

/// Runs of documents, a few of them missing, far from each other; and gaps of 2^31.
TEST_P(DeviceDecoder, DenseAndFarApart) {
  std::mt19937_64 random = generator(106);
  DeviceDecoding decoding(GetParam());
  for (const std::uint32_t density : {1, 2, 4, 8, 30, 200}) {
    Values docids;
    for (std::uint32_t docid = 0; docids.size() < 5000; ++docid) {
      if (random() % 1000 == 0) docid += static_cast<std::uint32_t>(random() % 50'000);
      if (random() % density == 0) docids.push_back(docid);
    }
    add_docids(decoding, docids, "one of " + std::to_string(density));
  }
  add_docids(decoding, {0, 0x80000001, 0xFFFFFFFE}, "gaps of 2^31");
  add_docids(decoding, {0xFFFFFFFE}, "the last document");
  Values edges(300);
  for (std::uint32_t i = 0; i < 300; ++i) edges[i] = i < 150 ? i : 0xFFFFFFFE - (299 - i);
  add_docids(decoding, edges, "both ends");
  decoding.check(What::kDocids);
  decoding.check_host_docids(random);
}

INSTANTIATE_TEST_SUITE_P(Codecs, DeviceDecoder, testing::ValuesIn(all_settings()), test_name);

}  // namespace
}  // namespace warpdex::test
