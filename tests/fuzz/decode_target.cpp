// Decoding of any bytes by every codec. The input, by its bytes: the codec, the list's parameter,
// the block's code, whether it is the list's first (even: then `base` is -1), the number of values
// (4), the offset of the tail (4), the block's index (4) and offset (2), base (4), the last docID
// less the base (4); then the list's bytes. seeds.cpp writes such inputs.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/fuzz/codec_choice.hpp"
#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/codecs/exception_table.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::fuzz {
namespace {

/// Lists of more blocks have no exception table made: it takes 8 bytes a block.
constexpr std::uint32_t kMaxTableBlocks = 1024;

/// Runs `call`, which may refuse the bytes.
template <class Call>
void attempt(const Call& call) {
  try {
    call();
  } catch (const FormatError&) {
  }
}

/// A list's bytes in memory that has room for them and the slack, and no more.
class Buffer {
 public:
  explicit Buffer(std::string_view bytes)
      : bytes_(new std::uint8_t[bytes.size() + kReadSlack]), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
    std::fill_n(bytes_.get() + size_, kReadSlack, std::uint8_t{0xA5});
  }
  const std::uint8_t* begin() const { return bytes_.get(); }
  const std::uint8_t* end() const { return bytes_.get() + size_; }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_;
};

void check_docids(const std::uint32_t* docids, std::uint32_t count, std::uint32_t base,
                  std::uint32_t last) {
  require(docids[count - 1] == last, "docIDs end with the last one");
  require(docids[0] >= base + 1, "docIDs start after the block before");
  for (std::uint32_t i = 1; i < count; ++i) require(docids[i - 1] < docids[i], "docIDs ascend");
}

/// The values as gaps less one from `base` on; nothing if they pass 32 bits.
std::vector<std::uint32_t> docids_of(const std::vector<std::uint32_t>& gaps, std::uint32_t base) {
  std::vector<std::uint32_t> docids;
  std::uint64_t next = base + 1U;
  for (const std::uint32_t gap : gaps) {
    next += gap;
    if (next > 0xFFFFFFFF) return {};
    docids.push_back(static_cast<std::uint32_t>(next++));
  }
  return docids;
}

/// The block's values, one by one and at once, and the docIDs that they are the gaps of.
void decode_values(const ListDecoder& decoder, const BlockRef& block, std::uint32_t base) {
  const std::uint32_t count = decoder.block_count(block.index);
  for (std::uint32_t i = 0; i < count; ++i) attempt([&] { decoder.value_at(block, i); });
  std::vector<std::uint32_t> values(kBlockSize);
  bool is_decoded = false;
  attempt([&] {
    decoder.decode_values(block, values.data());
    is_decoded = true;
  });
  values.resize(count);
  if (!is_decoded || block.code == kDenseCode) return;
  const std::vector<std::uint32_t> docids = docids_of(values, base);
  if (docids.empty()) return;
  std::vector<std::uint32_t> sums(kBlockSize);
  attempt([&] {
    decoder.decode_docids(block, base, docids.back(), sums.data());
    require(std::equal(docids.begin(), docids.end(), sums.begin()), "docIDs are sums of gaps");
  });
}

void make_table(const EncodedList& list, std::uint32_t tail_offset, std::uint32_t blocks) {
  if (list.settings.kind != CodecKind::kPfor || blocks > kMaxTableBlocks) return;
  std::vector<ExceptionEntry> entries(blocks);
  std::vector<ExceptionBase> bases((blocks + 31) / 32);
  attempt([&] { make_exception_table(list, tail_offset, entries, bases); });
}

void run(InputBytes input) {
  EncodedList list;
  list.settings = chosen_codec(input.byte());
  list.parameter = input.byte();
  BlockRef block;
  block.code = input.byte();
  const bool is_first = input.byte() % 2 == 0;
  list.count = std::max(1U, input.number(4));
  const std::uint32_t tail_offset = input.number(4);
  block.index = input.number(4) % ((list.count - 1) / kBlockSize + 1);
  block.offset = input.number(2);
  const std::uint32_t chosen_base = input.number(4);
  const std::uint32_t base = is_first ? ~std::uint32_t{0} : chosen_base;
  const std::uint32_t last = base + input.number(4);
  const Buffer buffer(input.rest());
  list.begin = buffer.begin();
  list.end = buffer.end();

  const ListDecoder decoder(list, tail_offset);
  decode_values(decoder, block, base);
  std::vector<std::uint32_t> docids(kBlockSize);
  attempt([&] {
    decoder.decode_docids(block, base, last, docids.data());
    check_docids(docids.data(), decoder.block_count(block.index), base, last);
  });
  if (decoder.blocks() == 1) {
    attempt([&] {
      const std::uint64_t size = decoder.single_block_size(block);
      require(block.offset + size <= static_cast<std::uint64_t>(list.end - list.begin),
              "a block ends within its list");
    });
  }
  make_table(list, tail_offset, decoder.blocks());
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
