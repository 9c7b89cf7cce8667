// Encoding any list and decoding it again, by every codec. The input, by its bytes: the codec
// (from 128 on, without bit sets), how many bytes a value takes (1 to 4) and how often all of them
// stand in the list, both in one; then the values.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/fuzz/codec_choice.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace warpdex::fuzz {
namespace {

constexpr std::size_t kMaxValues = 20'000;

using Values = std::vector<std::uint32_t>;

/// An encoded list in memory that has room for it and the slack, and no more.
class StoredList {
 public:
  StoredList(const CodecSettings& settings, const EncodedValues& encoded, std::size_t count)
      : encoded_(encoded), bytes_(new std::uint8_t[encoded.bytes.size() + kReadSlack]()) {
    std::copy(encoded.bytes.begin(), encoded.bytes.end(), bytes_.get());
    const EncodedList list{settings, encoded.parameter, static_cast<std::uint32_t>(count),
                           bytes_.get(), bytes_.get() + encoded.bytes.size()};
    decoder_ = ListDecoder(list, encoded.offsets.back());
    require(encoded.codes.size() == decoder_.blocks() &&
                encoded.offsets.size() == decoder_.blocks() + 1,
            "an encoded list has a code and an offset a block");
  }

  const ListDecoder& decoder() const { return decoder_; }
  BlockRef block(std::uint32_t index) const {
    require(encoded_.offsets[index + 1] - encoded_.offsets[index] <= kMaxBlockBytes,
            "no block takes more than kMaxBlockBytes");
    return {index, encoded_.offsets[index], encoded_.codes[index]};
  }
  std::size_t size() const { return encoded_.bytes.size(); }

 private:
  const EncodedValues& encoded_;
  std::unique_ptr<std::uint8_t[]> bytes_;
  ListDecoder decoder_;
};

/// Value by value and by its size, for a block that is no bit set.
void check_single_values(const StoredList& list, const BlockRef& block,
                         const std::uint32_t* expected) {
  const ListDecoder& decoder = list.decoder();
  for (std::uint32_t i = 0; i < decoder.block_count(block.index); ++i) {
    require(decoder.value_at(block, i) == expected[i], "each value is the one that was encoded");
  }
  if (decoder.blocks() > 1) return;
  require(decoder.single_block_size(block) == list.size(), "a lone block's size is the list's");
}

void check_values(const CodecSettings& settings, const Values& values) {
  const EncodedValues encoded = encode_values(settings, values);
  const StoredList list(settings, encoded, values.size());
  const auto out = std::make_unique<std::uint32_t[]>(kBlockSize);
  for (std::uint32_t i = 0; i < list.decoder().blocks(); ++i) {
    const std::uint32_t* expected = values.data() + std::size_t{i} * kBlockSize;
    list.decoder().decode_values(list.block(i), out.get());
    require(std::equal(expected, expected + list.decoder().block_count(i), out.get()),
            "a block holds the values that were encoded");
    check_single_values(list, list.block(i), expected);
  }
}

/// The values as gaps less one, as far as docIDs go.
Values docids_of(const Values& gaps) {
  Values docids;
  std::uint64_t next = 0;
  for (const std::uint32_t gap : gaps) {
    next += gap;
    if (next >= 0xFFFFFFFF) break;
    docids.push_back(static_cast<std::uint32_t>(next++));
  }
  return docids;
}

void check_docids(const CodecSettings& settings, const Values& docids) {
  if (docids.empty()) return;
  const EncodedValues encoded = encode_docids(settings, docids);
  const StoredList list(settings, encoded, docids.size());
  const auto out = std::make_unique<std::uint32_t[]>(kBlockSize);
  for (std::uint32_t i = 0; i < list.decoder().blocks(); ++i) {
    const std::uint32_t* expected = docids.data() + std::size_t{i} * kBlockSize;
    const std::uint32_t count = list.decoder().block_count(i);
    const std::uint32_t base = i == 0 ? ~std::uint32_t{0} : expected[-1];
    const BlockRef block = list.block(i);
    require(settings.bit_sets || block.code != kDenseCode, "no bit sets where none may be");
    list.decoder().decode_docids(block, base, expected[count - 1], out.get());
    require(std::equal(expected, expected + count, out.get()),
            "a block holds the docIDs that were encoded");
  }
}

void run(InputBytes input) {
  const std::uint8_t choice = input.byte();
  CodecSettings settings = chosen_codec(choice);
  settings.bit_sets = choice < 128;
  const std::uint8_t shape = input.byte();
  const std::size_t width = 1 + shape % 4;
  Values values;
  while (!input.empty()) values.push_back(input.number(width));
  if (values.empty()) return;
  const std::size_t once = values.size();
  const std::size_t count = std::min(once * (1 + shape / 4), std::max(once, kMaxValues));
  while (values.size() < count) values.push_back(values[values.size() - once]);
  check_values(settings, values);
  check_docids(settings, docids_of(values));
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
