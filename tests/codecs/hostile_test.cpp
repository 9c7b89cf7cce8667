// Bytes that no encoder wrote: every decoder either throws FormatError or yields something within
// its contract. AddressSanitizer sees the reads: buffers have exactly their size and the slack.
#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/codecs/lists.hpp"
#include "tests/support.hpp"
#include "warpdex/codecs/gap_bits.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::test {
namespace {

/// A list that may be damaged in all that an index stores of it.
struct Suspect {
  CodecSettings settings;
  std::uint8_t parameter = 0;
  std::uint32_t count = 0;
  std::uint32_t tail_offset = 0;
  std::vector<std::uint8_t> bytes;
  BlockRef block;
};

class Hostile : public testing::TestWithParam<CodecSettings> {
 protected:
  std::mt19937_64 random_ = generator(40);
  std::uint64_t decoded_ = 0;
  std::uint64_t refused_ = 0;

  std::uint32_t any(std::uint64_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void expect_ascending(const std::uint32_t* docids, std::uint32_t count, std::uint32_t base,
                        std::uint32_t last) {
    ASSERT_EQ(docids[count - 1], last);
    ASSERT_TRUE(base == 0xFFFFFFFF || docids[0] > base);
    for (std::uint32_t i = 1; i < count; ++i) ASSERT_LT(docids[i - 1], docids[i]);
  }

  template <typename Call>
  void attempt(Call call) {
    try {
      call();
      ++decoded_;
    } catch (const FormatError&) {
      ++refused_;
    }
  }

  /// Calls every function on the suspect. `base` and `last` are what an index claims.
  void probe(const Suspect& suspect, std::uint32_t base, std::uint32_t last) {
    const std::size_t size = suspect.bytes.size();
    const std::unique_ptr<std::uint8_t[]> buffer(new std::uint8_t[size + kReadSlack]);
    std::copy(suspect.bytes.begin(), suspect.bytes.end(), buffer.get());
    for (std::size_t i = 0; i < kReadSlack; ++i)
      buffer[size + i] = static_cast<std::uint8_t>(any(256));
    const ListDecoder decoder(
        {suspect.settings, suspect.parameter, suspect.count, buffer.get(), buffer.get() + size},
        suspect.tail_offset);
    const auto out = std::make_unique<std::uint32_t[]>(kBlockSize);
    const std::uint32_t count = decoder.block_count(suspect.block.index);
    attempt([&] { decoder.decode_values(suspect.block, out.get()); });
    attempt([&] {
      decoder.decode_docids(suspect.block, base, last, out.get());
      expect_ascending(out.get(), count, base, last);
    });
    attempt([&] {
      std::uint64_t bits[kGapBitWords];
      read_gap_bits(
          {suspect.settings, suspect.parameter, suspect.count, buffer.get(), buffer.get() + size},
          suspect.block, base, last, bits);
    });
    attempt([&] { decoder.value_at(suspect.block, any(count)); });
    if (decoder.blocks() == 1) {
      attempt([&] {
        ASSERT_LE(decoder.single_block_size(suspect.block) + suspect.block.offset, size);
      });
    }
  }
};

/// Lists that were encoded, then cut, flipped or overwritten.
TEST_P(Hostile, DamagedLists) {
  for (int round = 0; round < 3000; ++round) {
    const auto shape = static_cast<Shape>(any(kShapes));
    const std::size_t count = 1 + any(round % 4 == 0 ? 3000 : 200);
    const Values docids = make_docids(shape, count, random_);
    const EncodedValues encoded = encode_docids(GetParam(), docids);
    Suspect suspect{GetParam(),
                    encoded.parameter,
                    static_cast<std::uint32_t>(count),
                    encoded.offsets.back(),
                    encoded.bytes,
                    {}};
    const auto index = any(encoded.codes.size());
    suspect.block = {index, encoded.offsets[index], encoded.codes[index]};
    std::uint32_t base = index == 0 ? 0xFFFFFFFF : docids[index * kBlockSize - 1];
    std::uint32_t last = docids[std::min<std::size_t>(count, (index + 1) * kBlockSize) - 1];
    for (std::uint32_t damage = 1 + any(3); damage > 0; --damage) {
      const std::size_t size = suspect.bytes.size();
      switch (any(8)) {
        case 0: suspect.bytes.resize(any(size + 1)); break;
        case 1: suspect.block.code = static_cast<std::uint8_t>(any(256)); break;
        case 2: suspect.parameter = static_cast<std::uint8_t>(any(256)); break;
        case 3: suspect.tail_offset = any(size + 100); break;
        case 4: suspect.block.offset = any(size + 100); break;
        case 5: last = any(2) == 0 ? any(UINT64_C(1) << 32) : base + any(6000); break;
        case 6: base = any(UINT64_C(1) << 32); break;
        default:
          if (size != 0) suspect.bytes[any(size)] ^= static_cast<std::uint8_t>(1U << any(8));
      }
    }
    probe(suspect, base, last);
  }
  EXPECT_GT(refused_, 0U);
  EXPECT_GT(decoded_, 0U);
}

/// The tails of `pfor` are the most intricate bytes: lists of many blocks and exceptions, a few
/// bytes of whose tails are overwritten.
TEST_P(Hostile, DamagedTails) {
  const Values values = make_values(Shape::kBlockEdges, 6'000, random_);
  const EncodedValues encoded = encode_values(GetParam(), values);
  for (int round = 0; round < 2000; ++round) {
    Suspect suspect{GetParam(), encoded.parameter, 6'000, encoded.offsets.back(), encoded.bytes,
                    {}};
    const std::size_t size = suspect.bytes.size();
    const std::size_t tail = std::min<std::size_t>(encoded.offsets.back(), size - 1);
    for (std::uint32_t damage = 1 + any(4); damage > 0; --damage) {
      const std::size_t range = any(2) == 0 ? std::min<std::size_t>(size - tail, 800) : size - tail;
      suspect.bytes[tail + any(range)] = static_cast<std::uint8_t>(any(256));
    }
    if (any(8) == 0) suspect.bytes.resize(tail + any(size - tail));
    const auto index = any(encoded.codes.size());
    suspect.block = {index, encoded.offsets[index], encoded.codes[index]};
    probe(suspect, any(UINT64_C(1) << 32), any(UINT64_C(1) << 32));
  }
}

TEST_P(Hostile, RandomBytes) {
  for (int round = 0; round < 10'000; ++round) {
    Suspect suspect;
    suspect.settings = GetParam();
    suspect.count = 1 + any(any(2) == 0 ? 130 : UINT64_C(0xFFFFFFFF));
    suspect.bytes.resize(any(900));
    const std::uint32_t kind = any(4);
    for (auto& byte : suspect.bytes) {
      byte = static_cast<std::uint8_t>(kind == 0 ? 0 : kind == 1 ? 0xFF : random_());
      if (kind == 3) byte &= static_cast<std::uint8_t>(random_() & random_());
    }
    suspect.parameter = static_cast<std::uint8_t>(any(any(2) == 0 ? 40 : 256));
    suspect.tail_offset = any(1000);
    suspect.block.index = any((std::uint64_t{suspect.count} + 127) / 128);
    suspect.block.offset = any(any(4) == 0 ? UINT64_C(1) << 32 : 300);
    suspect.block.code = static_cast<std::uint8_t>(any(3) == 0 ? 255 : any(256));
    const std::uint32_t base = any(3) == 0 ? 0xFFFFFFFF : any(UINT64_C(1) << 32);
    probe(suspect, base, any(2) == 0 ? base + any(3000) : any(UINT64_C(1) << 32));
  }
  EXPECT_GT(refused_, 0U);
}

/// Gaps whose sum passes 2^32 and comes round to the last docID that the index claims.
TEST_P(Hostile, SumsThatWrap) {
  for (const std::uint32_t count : {2U, 40U, 127U, 128U}) {
    Values gaps(count, 0xF0000000U / count * 2);
    std::uint32_t last = 0xFFFFFFFF;
    for (const std::uint32_t gap : gaps) last += gap + 1;
    const StoredList list(GetParam(), encode_values(GetParam(), gaps), count);
    std::uint32_t out[kBlockSize];
    EXPECT_THROW(list.decoder().decode_docids(list.block(0), 0xFFFFFFFF, last, out), FormatError)
        << count;
  }
}

/// A base at the very end, from which small gaps run over.
TEST_P(Hostile, BaseThatWraps) {
  const Values gaps(kBlockSize, 1);
  const StoredList list(GetParam(), encode_values(GetParam(), gaps), kBlockSize);
  std::uint32_t out[kBlockSize];
  const std::uint32_t base = 0xFFFFFFFE;
  EXPECT_THROW(list.decoder().decode_docids(list.block(0), base, base + 2 * kBlockSize, out),
               FormatError);
}

INSTANTIATE_TEST_SUITE_P(Codecs, Hostile, testing::ValuesIn(all_settings()), [](const auto& test) {
  std::string name(codec_name(test.param.kind));
  std::replace(name.begin(), name.end(), '-', '_');
  return name + std::to_string(test.param.pfor_levels);
});

}  // namespace
}  // namespace warpdex::test
