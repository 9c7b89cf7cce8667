// Each form of the inner loops against plain arithmetic, bit by bit.
#include "kernels.hpp"

#include <algorithm>
#include <bit>

#include "tests/codecs/lists.hpp"
#include "tests/support.hpp"

namespace warpdex::test {
namespace {

class KernelsTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > isa()) GTEST_SKIP() << "this processor, or WARPDEX_ISA, has no such form";
  }
  const DecodeKernels& kernels() const { return decode_kernels_for(GetParam()); }
};

/// A buffer of random bytes, with the slack that decoders may read.
std::vector<std::uint8_t> random_bytes(std::size_t count, std::mt19937_64& random) {
  std::vector<std::uint8_t> bytes(count + kReadSlack);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

bool bit_at(const std::vector<std::uint8_t>& bytes, std::size_t bit) {
  return (bytes[bit / 8] >> (bit % 8) & 1) != 0;
}

std::uint32_t value_of_bits(const std::vector<std::uint8_t>& bytes, std::size_t first,
                            std::uint32_t width) {
  std::uint32_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    value |= static_cast<std::uint32_t>(bit_at(bytes, first + i)) << i;
  }
  return value;
}

std::uint32_t rounded(std::uint32_t count) { return (count + kGroup - 1) / kGroup * kGroup; }

TEST_P(KernelsTest, UnpackEveryWidthAndCount) {
  std::mt19937_64 random = generator(20);
  for (std::uint32_t width = 0; width <= 32; ++width) {
    for (std::uint32_t count = 1; count <= kBlockSize; ++count) {
      const auto bytes = random_bytes((std::size_t{count} * width + 7) / 8, random);
      Values out(rounded(count));
      kernels().unpack(bytes.data(), count, width, out.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(out[i], value_of_bits(bytes, std::size_t{i} * width, width))
            << width << " bits, value " << i << " of " << count;
      }
    }
  }
}

TEST_P(KernelsTest, UnpackAndSum) {
  std::mt19937_64 random = generator(21);
  for (std::uint32_t width = 0; width <= 32; ++width) {
    for (const std::uint32_t count : {1U, 7U, 8U, 9U, 16U, 17U, 100U, 127U, 128U}) {
      const auto bytes = random_bytes((std::size_t{count} * width + 7) / 8, random);
      const auto base = static_cast<std::uint32_t>(random());
      Values out(rounded(count));
      Values gaps(rounded(count), 0);
      for (std::uint32_t i = 0; i < count; ++i) {
        gaps[i] = value_of_bits(bytes, std::size_t{i} * width, width);
      }
      std::uint32_t expected_bits = 0;
      for (const std::uint32_t gap : gaps) expected_bits |= gap;
      const std::uint32_t bits = kernels().unpack_sum(bytes.data(), count, width, base, out.data());
      EXPECT_EQ(bits & expected_bits, expected_bits);
      Values in_place = gaps;
      EXPECT_EQ(kernels().sum(in_place.data(), count, base), expected_bits);
      std::uint32_t sum = base;
      for (std::uint32_t i = 0; i < count; ++i) {
        sum += gaps[i] + 1;
        ASSERT_EQ(out[i], sum) << width << " bits, value " << i << " of " << count;
        ASSERT_EQ(in_place[i], sum) << width << " bits, value " << i << " of " << count;
      }
    }
  }
}

TEST_P(KernelsTest, FindOnes) {
  std::mt19937_64 random = generator(22);
  for (int round = 0; round < 2000; ++round) {
    auto bytes = random_bytes(1 + random() % 300, random);
    const std::size_t size = bytes.size() - kReadSlack;
    for (int thin = static_cast<int>(random() % 6); thin > 0; --thin) {  // rarer and rarer ones
      for (auto& byte : bytes) byte &= static_cast<std::uint8_t>(random());
    }
    const auto start = static_cast<std::uint32_t>(random() % 8);
    const auto count = static_cast<std::uint32_t>(1 + random() % kBlockSize);
    std::vector<std::uint16_t> expected;
    for (std::size_t bit = start; bit < (size + 7) / 8 * 64; ++bit) {
      if (bit_at(bytes, bit)) expected.push_back(static_cast<std::uint16_t>(bit + 1));
    }
    std::vector<std::uint16_t> ends(kEnds);
    const std::uint32_t found =
        kernels().find_ones(bytes.data(), start, bytes.data() + size, count, ends.data());
    ASSERT_EQ(std::min<std::size_t>(found, count), std::min<std::size_t>(expected.size(), count));
    for (std::uint32_t i = 0; i < std::min(found, count); ++i) ASSERT_EQ(ends[i], expected[i]);
  }
}

TEST_P(KernelsTest, AddQuotients) {
  std::mt19937_64 random = generator(23);
  for (int round = 0; round < 500; ++round) {
    const auto count = static_cast<std::uint32_t>(1 + random() % kBlockSize);
    const auto shift = static_cast<std::uint32_t>(random() % 32);
    std::vector<std::uint16_t> ends(kEnds);
    Values out(kBlockSize);
    for (auto& value : out) value = static_cast<std::uint32_t>(random());
    ends[0] = static_cast<std::uint16_t>(random() % 8);
    std::uint32_t largest = 0;
    std::uint32_t sum = 0;
    Values values = out;
    Values sums = out;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto quotient = static_cast<std::uint32_t>(random() % (1 + random() % 65));
      ends[i + 1] = static_cast<std::uint16_t>(ends[i] + quotient + 1);
      largest = std::max(largest, quotient);
      sum += quotient;
      values[i] += quotient << shift;
      sums[i] += sum << shift;
    }
    Values added = out;
    EXPECT_EQ(kernels().add_quotients(ends.data() + 1, count, shift, added.data()), largest);
    EXPECT_TRUE(std::equal(added.begin(), added.begin() + count, values.begin()));
    added = out;
    EXPECT_EQ(kernels().add_quotient_sums(ends.data() + 1, count, shift, added.data()), largest);
    EXPECT_TRUE(std::equal(added.begin(), added.begin() + count, sums.begin()));
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, KernelsTest,
                         testing::Values(Isa::kBaseline, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& test) { return std::string(isa_name(test.param)); });

}  // namespace
}  // namespace warpdex::test
