// Every codec gives back what it was given: whole lists, single blocks, single values.
#include <algorithm>

#include "tests/codecs/lists.hpp"
#include "tests/support.hpp"
#include "warpdex/codecs/gap_bits.hpp"
#include "warpdex/codecs/pfor_block_values.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::test {
namespace {

class RoundTrip : public testing::TestWithParam<CodecSettings> {};

/// Calls check(shape, count, random) for every shape and size.
template <typename Check>
void for_each_list(std::mt19937_64 random, Check check) {
  for (int shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t count : ugly_sizes()) check(static_cast<Shape>(shape), count, random);
  }
}

TEST_P(RoundTrip, Values) {
  for_each_list(generator(1), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    const Values values = make_values(shape, count, random);
    const EncodedValues encoded = encode_values(GetParam(), values);
    SCOPED_TRACE(describe(GetParam(), shape, count));
    ASSERT_EQ(StoredList(GetParam(), encoded, count).decode_values(random), values);
  });
}

TEST_P(RoundTrip, Docids) {
  for_each_list(generator(2), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    const Values docids = make_docids(shape, count, random);
    for (const bool allow_dense : {false, true}) {
      const EncodedValues encoded = encode_docids(GetParam(), docids, allow_dense);
      SCOPED_TRACE(describe(GetParam(), shape, count));
      ASSERT_EQ(StoredList(GetParam(), encoded, count).decode_docids(docids, random), docids);
    }
  });
}

TEST_P(RoundTrip, LongList) {
  std::mt19937_64 random = generator(3);
  for (const Shape shape : {Shape::kGeometric, Shape::kClustered, Shape::kZipf}) {
    const Values values = make_values(shape, 100'000, random);
    const StoredList list(GetParam(), encode_values(GetParam(), values), values.size());
    ASSERT_EQ(list.decode_values(random), values);
    const Values docids = make_docids(shape, 100'000, random);
    const StoredList docid_list(GetParam(), encode_docids(GetParam(), docids), docids.size());
    ASSERT_EQ(docid_list.decode_docids(docids, random), docids);
  }
}

TEST_P(RoundTrip, ValueAtEachIndex) {
  for_each_list(generator(4), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    if (count > 1000) return;
    const Values values = make_values(shape, count, random);
    const StoredList list(GetParam(), encode_values(GetParam(), values), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(list.decoder().value_at(list.block(i / kBlockSize), i % kBlockSize), values[i])
          << describe(GetParam(), shape, count) << ", at " << i;
    }
  });
}

TEST_P(RoundTrip, SingleBlockSize) {
  for_each_list(generator(5), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    if (count > kBlockSize) return;
    EncodedValues encoded = encode_values(GetParam(), make_values(shape, count, random));
    const std::size_t size = encoded.bytes.size();
    for (int i = 0; i < 3; ++i) encoded.bytes.push_back(static_cast<std::uint8_t>(random()));
    const StoredList list(GetParam(), encoded, count);
    ASSERT_EQ(ListDecoder(list.list(), 0).single_block_size(list.block(0)), size)
        << describe(GetParam(), shape, count);
  });
}

/// Short lists stand without offsets: the decoder must not need the tail's.
TEST_P(RoundTrip, ShortListWithoutTailOffset) {
  for_each_list(generator(6), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    if (count >= kBlockSize) return;
    const Values values = make_values(shape, count, random);
    const StoredList list(GetParam(), encode_values(GetParam(), values), count);
    std::uint32_t out[kBlockSize];
    ListDecoder(list.list(), 0).decode_values(list.block(0), out);
    ASSERT_TRUE(std::equal(values.begin(), values.end(), out))
        << describe(GetParam(), shape, count);
  });
}

TEST_P(RoundTrip, ShapeOfTheEncoding) {
  for_each_list(generator(7), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    const Values docids = make_docids(shape, count, random);
    const EncodedValues encoded = encode_docids(GetParam(), docids);
    SCOPED_TRACE(describe(GetParam(), shape, count));
    const std::size_t blocks = (count + kBlockSize - 1) / kBlockSize;
    ASSERT_EQ(encoded.codes.size(), blocks);
    ASSERT_EQ(encoded.offsets.size(), blocks + 1);
    ASSERT_EQ(encoded.offsets.front(), 0U);
    for (std::size_t i = 0; i < blocks; ++i) {
      ASSERT_LE(encoded.offsets[i], encoded.offsets[i + 1]);
      ASSERT_LE(encoded.offsets[i + 1] - encoded.offsets[i], 640U);
    }
    ASSERT_LE(encoded.offsets.back(), encoded.bytes.size());
    if (count < kBlockSize) {  // one of the two says it all
      const bool per_list =
          GetParam().kind == CodecKind::kPfor || GetParam().kind == CodecKind::kRice;
      ASSERT_EQ(per_list ? encoded.codes[0] : encoded.parameter, 0);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Codecs, RoundTrip, testing::ValuesIn(all_settings()), test_name);

TEST(GapBits, AreTheDocids) {
  std::mt19937_64 random = generator(8);
  for (const std::size_t count : ugly_sizes()) {
    for (const std::uint64_t rarity : {1, 2, 10, 60, 1'000}) {  // of gaps
      Values docids;
      std::uint32_t next = static_cast<std::uint32_t>(random() % 3 / 2);
      for (; docids.size() < count; ++next) {
        docids.push_back(next);
        if (random() % rarity == 0) next += 1 + (random() % 50 == 0 ? 1 : 0);
      }
      const StoredList list({}, encode_docids({}, docids, false), count);
      for (std::uint32_t i = 0; i < list.blocks(); ++i) {
        const std::uint32_t end = i * kBlockSize + list.decoder().block_count(i);
        const std::uint32_t base = i == 0 ? ~std::uint32_t{0} : docids[i * kBlockSize - 1];
        const std::uint32_t last = docids[end - 1];
        std::uint64_t bits[kGapBitWords];
        const bool has_bits = read_gap_bits(list.list(), list.block(i), base, last, bits);
        ASSERT_EQ(has_bits, list.block(i).code <= kMaxGapBits);
        if (!has_bits) continue;
        Values found;
        for (std::uint32_t bit = 0; bit < 64 * kGapBitWords; ++bit) {
          if ((bits[bit / 64] >> bit % 64 & 1) != 0) found.push_back(base + 1 + bit);
        }
        ASSERT_EQ(found, Values(docids.begin() + i * kBlockSize, docids.begin() + end)) << count;
        EXPECT_THROW(read_gap_bits(list.list(), list.block(i), base, last + 1, bits), FormatError);
      }
    }
  }
}

TEST(PforBlockValues, AreThoseOfTheBlock) {
  const CodecSettings settings{.kind = CodecKind::kPforBlock};
  for_each_list(generator(6), [&](Shape shape, std::size_t count, std::mt19937_64& random) {
    const Values values = make_values(shape, count, random);
    const StoredList list(settings, encode_values(settings, values), count);
    for (std::uint32_t block = 0; block < list.blocks(); ++block) {
      const std::uint32_t in_block = list.decoder().block_count(block);
      const auto begin = static_cast<std::uint32_t>(random() % in_block);
      Values some(random() % (in_block - begin + 1));
      const std::uint32_t before = block * kBlockSize + begin;
      const Values wanted(values.begin() + before,
                          values.begin() + static_cast<std::ptrdiff_t>(before + some.size()));
      read_pfor_block_values(list.list(), list.block(block), begin,
                             static_cast<std::uint32_t>(some.size()), some.data());
      ASSERT_EQ(some, wanted) << describe(settings, shape, count) << ", block " << block;
    }
  });
}

TEST(CodecNames, GoBothWays) {
  for (const CodecSettings& settings : all_settings()) {
    EXPECT_EQ(codec_from_name(codec_name(settings.kind)), settings.kind);
  }
  EXPECT_EQ(codec_name(CodecKind::kPforBlock), "pfor-block");
  EXPECT_THROW(codec_from_name("varint"), UsageError);
}

}  // namespace
}  // namespace warpdex::test
