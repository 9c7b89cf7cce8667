// Packs and reads the blocks of `bitpack`; a block's code is its width.
#include "bitpack.hpp"

#include <algorithm>
#include <bit>

#include "kernels.hpp"
#include "warpdex/codecs/gap_bits.hpp"

namespace warpdex::bitpack {
namespace {

std::uint64_t checked_size(const Block& block) {
  if (block.code > 32) throw_damaged_block();
  const std::uint64_t size = bytes_for_bits(std::uint64_t{block.count} * block.code);
  check_room(block.at, block.list->end, size);
  return size;
}

}  // namespace

void encode(const BlockedValues& values, EncodedValues& out) {
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    std::uint32_t bits = 0;
    for (const std::uint32_t value : values.block(i)) bits |= value;
    const std::uint32_t width = width_of(bits);
    out.codes.push_back(static_cast<std::uint8_t>(width));
    pack(values.block(i), width, out.bytes);
    out.offsets.push_back(static_cast<std::uint32_t>(out.bytes.size()));
  }
}

void decode_values(const Block& block, std::uint32_t* out) {
  checked_size(block);
  decode_kernels().unpack(block.at, block.count, block.code, out);
}

void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out) {
  checked_size(block);
  const std::uint32_t bits =
      decode_kernels().unpack_sum(block.at, block.count, block.code, base, out);
  check_docids(out, block.count, base, last, bits);
}

std::uint32_t value_at(const Block& block, std::uint32_t index) {
  checked_size(block);
  return static_cast<std::uint32_t>(
      read_bits(block.at, std::uint64_t{index} * block.code, block.code));
}

std::uint32_t single_block_size(const Block& block) {
  return static_cast<std::uint32_t>(checked_size(block));
}

}  // namespace warpdex::bitpack

namespace warpdex {

bool read_gap_bits(const EncodedList& list, const BlockRef& ref, std::uint32_t base,
                   std::uint32_t last, std::uint64_t* bits) {
  if (list.settings.kind != CodecKind::kBitpack || ref.code > kMaxGapBits) return false;
  if (ref.offset > static_cast<std::uint64_t>(list.end - list.begin)) throw_damaged_block();
  const Block block{&list,
                    list.begin + ref.offset,
                    std::min(list.count - ref.index * kBlockSize, kBlockSize),
                    ref.index,
                    0,
                    ref.code};
  bitpack::single_block_size(block);
  std::fill_n(bits, kGapBitWords, ~std::uint64_t{0});
  std::uint32_t left_out = 0;  // a gap of 1 leaves out the document before its own
  for (std::uint32_t done = 0; block.code == 1 && done < block.count; done += 64) {
    const std::uint32_t width = std::min(block.count - done, 64U);
    std::uint64_t gaps = load64(block.at + done / 8);
    if (width < 64) gaps &= low_mask(width);
    for (; gaps != 0; gaps &= gaps - 1) {
      const std::uint32_t place = done + static_cast<std::uint32_t>(std::countr_zero(gaps));
      const std::uint32_t bit = place + left_out++;
      bits[bit / 64] &= ~(std::uint64_t{1} << bit % 64);
    }
  }
  const std::uint32_t width = block.count + left_out;
  if (last - base != width) throw_damaged_block();
  bits[width / 64] &= (std::uint64_t{1} << width % 64) - 1;
  std::fill(bits + width / 64 + 1, bits + kGapBitWords, 0);
  return true;
}

}  // namespace warpdex
