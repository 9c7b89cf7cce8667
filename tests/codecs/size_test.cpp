// Encoded sizes and layouts against formulas, exhaustive search, and worked examples.
#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/codecs/lists.hpp"
#include "tests/support.hpp"

namespace warpdex::test {
namespace {

std::uint32_t bits_needed(std::uint32_t value) {
  std::uint32_t bits = 0;
  for (; value != 0; value /= 2) ++bits;
  return bits;
}

TEST(Sizes, BitpackTakesTheWidthOfEachBlocksLargest) {
  std::mt19937_64 random = generator(30);
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) {
      const Values values = make_values(static_cast<Shape>(shape), count, random);
      const EncodedValues encoded = encode_values({CodecKind::kBitpack}, values);
      for (std::size_t i = 0; i < encoded.codes.size(); ++i) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * kBlockSize);
        const std::size_t size = std::min<std::size_t>(kBlockSize, count - i * kBlockSize);
        const std::uint32_t width =
            bits_needed(*std::max_element(first, first + static_cast<std::ptrdiff_t>(size)));
        ASSERT_EQ(encoded.codes[i], width);
        ASSERT_EQ(encoded.offsets[i + 1] - encoded.offsets[i], (size * width + 7) / 8);
      }
    }
  }
}

/// Bits of Rice codes with escapes, as docs/codecs.md defines them.
std::uint64_t rice_bits(const Values& values, std::uint32_t width) {
  std::uint64_t bits = 0;
  for (const std::uint32_t value : values) {
    const std::uint64_t quotient = std::uint64_t{value} >> width;
    bits += width + (quotient < 64 ? quotient + 1 : 65 + 32 - width);
  }
  return bits;
}

TEST(Sizes, RiceIsTheSmallestOfAllWidths) {
  std::mt19937_64 random = generator(31);
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) {
      if (count > kBlockSize) continue;  // one block: no padding in between, no packed blocks
      for (int round = 0; round < 5; ++round) {
        const Values values = make_values(static_cast<Shape>(shape), count, random);
        std::uint64_t smallest = UINT64_MAX;
        for (std::uint32_t width = 0; width < 32; ++width) {
          smallest = std::min(smallest, rice_bits(values, width));
        }
        const EncodedValues encoded = encode_values({CodecKind::kRice}, values);
        ASSERT_EQ(encoded.bytes.size(), (smallest + 7) / 8)
            << count << " values of shape " << shape;
      }
    }
  }
}

TEST(Sizes, RiceParameterOfALongListIsTheBest) {
  std::mt19937_64 random = generator(32);
  for (int round = 0; round < 10; ++round) {
    const Values values = make_values(Shape::kGeometric, 128 * 20, random);
    const EncodedValues encoded = encode_values({CodecKind::kRice}, values);
    std::uint64_t smallest = UINT64_MAX;
    for (std::uint32_t width = 0; width < 32; ++width) {
      smallest = std::min(smallest, rice_bits(values, width));
    }
    EXPECT_EQ(rice_bits(values, encoded.parameter), smallest);
    EXPECT_LE(encoded.bytes.size(), (smallest + 7) / 8 + 20);  // a byte's padding a block
  }
}

/// Rice's code spends what theory says on gaps of random documents: within 0.04 bits of the entropy
/// of the geometric distribution, for any mean (Golomb 1966; Rice's powers of two cost that much).
TEST(Sizes, RiceIsNearTheEntropyOfGeometricGaps) {
  std::mt19937_64 random = generator(33);
  for (const double mean : {2.0, 10.0, 100.0, 5000.0}) {
    const double p = 1 / (1 + mean);
    std::geometric_distribution<std::uint32_t> gap(p);
    Values values(128 * 400);
    for (auto& value : values) value = gap(random);
    const double entropy = (-p * std::log2(p) - (1 - p) * std::log2(1 - p)) / p;
    const EncodedValues encoded = encode_values({CodecKind::kRice}, values);
    const double bits = 8.0 * static_cast<double>(encoded.bytes.size()) / 51200.0;
    EXPECT_GT(bits, entropy - 0.1) << "mean " << mean;
    EXPECT_LT(bits, entropy + 0.2) << "mean " << mean;
  }
}

/// Worked by hand: 5, 3, 9, 2 with two binary bits.
TEST(Layouts, Rice) {
  const EncodedValues encoded = encode_values({CodecKind::kRice}, Values{5, 3, 9, 2});
  ASSERT_EQ(encoded.parameter, 2);
  // Binary parts 1, 3, 1, 2 -> 01 11 01 10, the first in the lowest bits: 0b10011101.
  // Unary parts 1, 0, 2, 0: 01 1 001 1 in the order of bits -> bits 1, 2, 5, 6.
  EXPECT_EQ(encoded.bytes, (std::vector<std::uint8_t>{0b10011101, 0b01100110}));
}

TEST(Layouts, Bitpack) {
  const EncodedValues encoded = encode_values({CodecKind::kBitpack}, Values{1, 6, 3, 0, 7});
  ASSERT_EQ(encoded.codes, std::vector<std::uint8_t>{3});
  // 001 110 011 000 111, from the lowest bit on.
  EXPECT_EQ(encoded.bytes, (std::vector<std::uint8_t>{0b11110001, 0b01110000}));
}

/// 128 small values but for one: the exception's place and high bits follow the packed part.
TEST(Layouts, PforBlock) {
  Values values(kBlockSize, 1);
  values[77] = 1 + 2 * 5;
  const EncodedValues encoded = encode_values({CodecKind::kPforBlock}, values);
  ASSERT_EQ(encoded.codes, std::vector<std::uint8_t>{64 + 1});
  std::vector<std::uint8_t> expected(16, 0xFF);
  expected.push_back(1);  // one exception
  expected.push_back(3);  // of three high bits, less one: 4
  expected.push_back((77 | 4 << 7) & 0xFF);
  expected.push_back((77 | 4 << 7) >> 8);
  EXPECT_EQ(encoded.bytes, expected);
}

TEST(Layouts, PforTailOfOneBlock) {
  Values values(kBlockSize, 1);
  values[77] = 1 + 2 * 5;
  values[79] = 1 + 2 * 2;
  std::vector<std::uint8_t> packed(16, 0xFF);
  const EncodedValues plain = encode_values({CodecKind::kPfor, 0}, values);
  ASSERT_EQ(plain.parameter, 64 + 1);
  std::vector<std::uint8_t> expected = packed;
  for (const int byte : {2, 8, 77, 79, 4, 1}) expected.push_back(static_cast<std::uint8_t>(byte));
  EXPECT_EQ(plain.bytes, expected);

  const EncodedValues compressed = encode_values({CodecKind::kPfor, 1}, values);
  ASSERT_EQ(compressed.parameter, 64 + 1);
  expected = packed;
  // Two exceptions; gaps of 7 bits (77, 1) and highs of 3 (4, 1).
  for (const int byte : {2, 7, 3, 77 | (1 << 7 & 0xFF), 1 >> 1, 4 | 1 << 3}) {
    expected.push_back(static_cast<std::uint8_t>(byte));
  }
  EXPECT_EQ(compressed.bytes, expected);
}

/// The width of each block is the one that takes the fewest bytes of all.
TEST(Sizes, PforBlockIsTheSmallestOfAllWidths) {
  std::mt19937_64 random = generator(34);
  for (int shape = 0; shape < kShapes; ++shape) {
    const Values values = make_values(static_cast<Shape>(shape), kBlockSize, random);
    std::uint64_t smallest = UINT64_MAX;
    for (std::uint32_t width = 0; width <= 32; ++width) {
      std::uint64_t exceptions = 0;
      std::uint32_t high_bits = 0;
      for (const std::uint32_t value : values) {
        const std::uint64_t high = std::uint64_t{value} >> width;
        if (high == 0) continue;
        ++exceptions;
        high_bits = std::max(high_bits, bits_needed(static_cast<std::uint32_t>(high - 1)));
      }
      std::uint64_t bytes = 16 * width;
      if (exceptions != 0) bytes += 2 + (exceptions * (7 + high_bits) + 7) / 8;
      smallest = std::min(smallest, bytes);
    }
    EXPECT_EQ(encode_values({CodecKind::kPforBlock}, values).bytes.size(), smallest)
        << "shape " << shape;
  }
}

TEST(Sizes, PforWithoutExceptionsHasNoTail) {
  for (const CodecSettings& settings : all_settings()) {
    if (settings.kind != CodecKind::kPfor) continue;
    const EncodedValues encoded = encode_values(settings, Values(1000, 5));
    EXPECT_EQ(encoded.parameter, 3);
    EXPECT_EQ(encoded.bytes.size(), 375U);
    EXPECT_EQ(encoded.offsets.back(), 375U);
  }
}

TEST(Sizes, MoreLevelsOfRecursionAreNotLarger) {
  std::mt19937_64 random = generator(35);
  Values values(100'000);  // frequencies of real text look like this
  for (auto& value : values) {
    const double uniform = std::uniform_real_distribution<>(1e-6, 1)(random);
    value = static_cast<std::uint32_t>(std::pow(uniform, -0.7) - 1);
  }
  std::size_t before = SIZE_MAX;
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    const std::size_t size = encode_values({CodecKind::kPfor, levels}, values).bytes.size();
    EXPECT_LE(static_cast<double>(size), 1.002 * static_cast<double>(before)) << int{levels};
    if (levels == 1) {
      EXPECT_LT(static_cast<double>(size), 0.97 * static_cast<double>(before));
    }
    before = size;
  }
}

/// Two documents of every four: a bit set takes 32 bytes a block, two bits a gap as much.
TEST(Dense, ReplacesBlocksItMakesNoLarger) {
  Values docids;
  for (std::uint32_t i = 0; i < 1000; ++i)
    docids.push_back(2 * i + 2 - i % 2);  // 2, 3, 6, 7, 10, ...
  for (std::uint32_t i = 0; i < 1000; ++i) docids.push_back(5000 + 1000 * i);
  for (const CodecSettings& settings : all_settings()) {
    const EncodedValues with = encode_docids(settings, docids);
    const EncodedValues without = encode_docids(settings, docids, false);
    EXPECT_LE(with.bytes.size(), without.bytes.size()) << codec_name(settings.kind);
    CodecSettings off = settings;
    off.bit_sets = false;
    EXPECT_EQ(encode_docids(off, docids).codes, without.codes);
    EXPECT_EQ(encode_docids(off, docids).bytes, without.bytes);
    EXPECT_EQ(std::count(without.codes.begin(), without.codes.end(), kDenseCode), 0);
    EXPECT_EQ(with.codes.back(), without.codes.back());
    if (settings.kind == CodecKind::kRice || settings.kind == CodecKind::kBitpack) {
      EXPECT_EQ(with.codes[3], kDenseCode);
      ASSERT_EQ(with.offsets[4] - with.offsets[3], 32U);
      for (std::uint32_t i = with.offsets[3]; i < with.offsets[4]; ++i) {
        ASSERT_EQ(with.bytes[i], 0xCC);
      }
    }
  }
}

TEST(Dense, NeverInShortLists) {
  Values docids;
  for (std::uint32_t i = 0; i < 127; ++i) docids.push_back(i * 2);
  for (const CodecSettings& settings : all_settings()) {
    EXPECT_NE(encode_docids(settings, docids).codes[0], kDenseCode);
  }
}

}  // namespace
}  // namespace warpdex::test
