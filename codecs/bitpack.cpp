// Packs and reads the blocks of `bitpack`; a block's code is its width.
#include "bitpack.hpp"

#include "kernels.hpp"

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
