// The table of where exceptions are, against a count of the exceptions of the values themselves;
// of what was encoded, only the widths are believed.
#include "warpdex/codecs/exception_table.hpp"

#include <algorithm>
#include <array>

#include "tests/codecs/lists.hpp"
#include "tests/support.hpp"
#include "warpdex/codecs/block.hpp"

namespace warpdex::test {
namespace {

using Numbers = std::array<std::uint64_t, 3>;

struct Table {
  std::vector<ExceptionEntry> entries;
  std::vector<ExceptionBase> bases;

  explicit Table(std::size_t blocks)
      : entries(blocks, ~ExceptionEntry{0}), bases((blocks - 1) / 32, ExceptionBase{1, 2, 3, 4}) {}

  Numbers counts(std::size_t block) const {
    const ExceptionEntry entry = entries[block];
    return {entry & 0xFF, entry >> 8 & 0xFF, entry >> 16 & 0xFF};
  }
  Numbers starts(std::size_t block) const {
    const ExceptionEntry entry = entries[block];
    ExceptionBase base;
    if (block >= 32) base = bases[block / 32 - 1];
    return {base.first + (entry >> 24 & 0xFFF), base.in_gaps + (entry >> 36 & 0xFFF),
            base.in_highs + (entry >> 48 & 0xFFF)};
  }
};

/// An exception's own numbers, as the codec's grammar has them.
struct Exception {
  std::uint32_t gap;
  std::uint32_t high;
};

std::vector<std::vector<Exception>> exceptions_by_block(const Values& values, std::uint32_t width) {
  std::vector<std::vector<Exception>> blocks;
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % kBlockSize == 0) {
      blocks.emplace_back();
      next = i;
    }
    const auto high = static_cast<std::uint32_t>(std::uint64_t{values[i]} >> width);
    if (high == 0) continue;
    blocks.back().push_back({static_cast<std::uint32_t>(i - next), high - 1});
    next = i + 1;
  }
  return blocks;
}

/// The codes of the gaps and of the high bits of a tail of one level.
std::array<std::uint8_t, 2> array_codes(const std::uint8_t* tail, std::size_t blocks) {
  const std::size_t at = blocks == 1 ? 1 : 4 + (blocks - 1) / 32 * 4 + blocks;
  return {tail[at], tail[at + 1]};
}

/// Whether a value is an exception of its array.
bool overflows(std::uint32_t value, std::uint8_t code) {
  return (code & kExceptionsFlag) != 0 && std::uint64_t{value} >> (code & 63) != 0;
}

/// What the lists of a test have met, so that it can be told that they met enough.
struct Met {
  Numbers max{};
  bool without = false;  ///< a block without exceptions in a list that has some
};

void check(const CodecSettings& settings, const Values& values, Met& met) {
  const EncodedValues encoded = encode_values(settings, values);
  const StoredList list(settings, encoded, values.size());
  const std::size_t blocks = encoded.codes.size();
  Table table(blocks);
  const std::vector<std::uint8_t> flat =
      make_exception_table(list.list(), list.tail_offset(), table.entries, table.bases);
  const bool has_any = (encoded.parameter & kExceptionsFlag) != 0;
  ASSERT_EQ(!flat.empty(), has_any && settings.pfor_levels > 1);
  const std::uint8_t* const tail =
      flat.empty() ? encoded.bytes.data() + encoded.offsets.back() : flat.data();
  std::array<std::uint8_t, 2> codes{};
  if (has_any && settings.pfor_levels > 0) codes = array_codes(tail, blocks);
  const auto expected = exceptions_by_block(values, encoded.parameter & 63);
  Numbers start{};
  for (std::size_t block = 0; block < blocks; ++block) {
    Numbers counts{};
    for (const Exception& one : expected[block]) {
      ++counts[0];
      counts[1] += overflows(one.gap, codes[0]);
      counts[2] += overflows(one.high, codes[1]);
    }
    ASSERT_EQ(table.counts(block), counts) << "block " << block << " of " << blocks;
    ASSERT_EQ(table.starts(block), has_any ? start : Numbers{}) << "block " << block;
    for (std::size_t i = 0; i < 3; ++i) {
      met.max[i] = std::max(met.max[i], counts[i]);
      start[i] += counts[i];
    }
    met.without |= has_any && counts[0] == 0;
  }
}

class ExceptionTable : public testing::TestWithParam<int> {
 protected:
  CodecSettings settings() const {
    return {CodecKind::kPfor, static_cast<std::uint8_t>(GetParam())};
  }
};

TEST_P(ExceptionTable, OfEveryShapeAndSize) {
  std::mt19937_64 random = generator(121);
  Met met;
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) {
      check(settings(), make_values(static_cast<Shape>(shape), count, random), met);
      ASSERT_FALSE(HasFatalFailure()) << describe(settings(), static_cast<Shape>(shape), count);
    }
  }
}

TEST_P(ExceptionTable, OfBlocksOfUnequalExceptions) {
  std::mt19937_64 random = generator(122);
  Met met;
  // More than half a warp's lanes, which a decoder reads at once. A round meets that in 98 of 100.
  const auto met_enough = [&] { return met.max[1] > 16 && met.max[2] > 16; };
  for (int round = 0; round == 0 || (round < 8 && GetParam() > 0 && !met_enough()); ++round) {
    for (const std::size_t blocks : {1, 2, 31, 32, 33, 64, 65, 200, 1000}) {
      for (const std::uint32_t widest : {9, 15, 31}) {
        check(settings(), make_unequal_exceptions(blocks, widest, random), met);
        ASSERT_FALSE(HasFatalFailure()) << blocks << " blocks, to " << widest << " bits";
      }
    }
  }
  EXPECT_TRUE(met.without);
  EXPECT_EQ(met.max[0], kBlockSize);
  EXPECT_EQ(met_enough(), GetParam() > 0);
}

TEST_P(ExceptionTable, DamagedBytesAreFoundOrHarmless) {
  std::mt19937_64 random = generator(123);
  const Values values = make_unequal_exceptions(70, 15, random);
  const EncodedValues sound = encode_values(settings(), values);
  for (int i = 0; i < 3000; ++i) {
    EncodedValues encoded = sound;
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t tail = encoded.bytes.size() - encoded.offsets.back();
      const std::size_t at =
          random() % 2 == 0 ? random() % tail : random() % std::min<std::size_t>(tail, 90);
      encoded.bytes[encoded.offsets.back() + at] = static_cast<std::uint8_t>(random());
    }
    const StoredList list(settings(), encoded, values.size());
    Table table(encoded.codes.size());
    try {
      make_exception_table(list.list(), list.tail_offset(), table.entries, table.bases);
    } catch (const FormatError&) {
    }
  }
}

/// That a list with its tail flattened decodes to the same values.
void check_flat(const CodecSettings& settings, const Values& values) {
  const EncodedValues encoded = encode_values(settings, values);
  const StoredList list(settings, encoded, values.size());
  Table table(encoded.codes.size());
  const std::vector<std::uint8_t> tail =
      make_exception_table(list.list(), list.tail_offset(), table.entries, table.bases);
  if (tail.empty()) return;  // without exceptions
  EncodedValues flat = encoded;
  flat.bytes.resize(encoded.offsets.back());
  flat.bytes.insert(flat.bytes.end(), tail.begin(), tail.end() - kReadSlack);
  const CodecSettings one_level{CodecKind::kPfor, 1};
  const StoredList stored(one_level, flat, values.size());
  std::array<std::uint32_t, kBlockSize> got{};
  for (std::uint32_t block = 0; block < encoded.codes.size(); ++block) {
    stored.decoder().decode_values({block, flat.offsets[block], flat.codes[block]}, got.data());
    const std::size_t start = std::size_t{block} * kBlockSize;
    const std::size_t count = std::min<std::size_t>(kBlockSize, values.size() - start);
    ASSERT_TRUE(std::equal(got.begin(), got.begin() + count, values.begin() + start))
        << "block " << block;
  }
}

TEST_P(ExceptionTable, FlatTailsDecodeToTheSame) {
  if (GetParam() <= 1) GTEST_SKIP() << "lists of so few levels keep their tails";
  std::mt19937_64 random = generator(124);
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) {
      check_flat(settings(), make_values(static_cast<Shape>(shape), count, random));
      ASSERT_FALSE(HasFatalFailure()) << describe(settings(), static_cast<Shape>(shape), count);
    }
  }
  for (const std::size_t blocks : {1, 2, 31, 32, 33, 200, 1000}) {
    for (const std::uint32_t widest : {9, 15, 31}) {
      check_flat(settings(), make_unequal_exceptions(blocks, widest, random));
      ASSERT_FALSE(HasFatalFailure()) << blocks << " blocks, to " << widest << " bits";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ExceptionTable, testing::Range(0, kMaxPforLevels + 1));

}  // namespace
}  // namespace warpdex::test
