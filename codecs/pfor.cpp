// The blocks of a list; pfor_exceptions.hpp has the list's tail.
#include "pfor.hpp"

#include "kernels.hpp"
#include "pfor_exceptions.hpp"

namespace warpdex::pfor {
namespace {

std::uint32_t low_width(const Block& block) { return block.list->parameter & ~kExceptionsFlag; }

std::uint64_t checked_size(const Block& block) {
  if (low_width(block) > 32 || block.code != 0) throw_damaged_block();
  const std::uint64_t size = bytes_for_bits(std::uint64_t{block.count} * low_width(block));
  check_room(block.at, block.list->end, size);
  return size;
}

bool list_has_exceptions(const Block& block) {
  return (block.list->parameter & kExceptionsFlag) != 0;
}

/// The list's exceptions. `size` is checked_size.
Exceptions exceptions_of(const Block& block, std::uint64_t size) {
  const EncodedList& list = *block.list;
  if (list.settings.pfor_levels > kMaxPforLevels) throw_damaged_block();
  const std::uint8_t* tail = block.at + size;  // of a lone block, whose end may not be known
  if (!block.only_block()) {
    check_room(list.begin, list.end, block.tail_offset);
    tail = list.begin + block.tail_offset;
  }
  const auto blocks = (std::uint64_t{list.count} + kBlockSize - 1) / kBlockSize;
  return {tail, list.end, blocks, list.settings.pfor_levels};
}

}  // namespace

void encode(const BlockedValues& values, int levels, EncodedValues& out) {
  if (levels > kMaxPforLevels) {
    throw UsageError("pfor has 0 to 4 levels of recursion, not " + std::to_string(levels));
  }
  ExceptionBytes tail;
  const std::uint32_t width = choose_width(values, levels, tail);
  out.parameter = static_cast<std::uint8_t>(width + (tail.bytes.empty() ? 0 : kExceptionsFlag));
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    pack(values.block(i), width, out.bytes);
    out.codes.push_back(0);
    out.offsets.push_back(static_cast<std::uint32_t>(out.bytes.size()));
  }
  out.bytes.insert(out.bytes.end(), tail.bytes.begin(), tail.bytes.end());
}

std::vector<std::uint32_t> tail_shares(const BlockedValues& values, const EncodedValues& encoded) {
  std::vector<std::uint32_t> shares(values.blocks());
  if ((encoded.parameter & kExceptionsFlag) == 0) return shares;
  const std::uint32_t width = encoded.parameter & ~kExceptionsFlag;
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    for (const std::uint32_t value : values.block(i)) shares[i] += value >> width != 0;
    total += shares[i];
  }
  const std::uint64_t tail = encoded.bytes.size() - encoded.offsets.back();
  for (std::uint32_t& share : shares) share = static_cast<std::uint32_t>(share * tail / total);
  return shares;
}

void decode_values(const Block& block, std::uint32_t* out) {
  const std::uint64_t size = checked_size(block);
  const std::uint32_t width = low_width(block);
  decode_kernels().unpack(block.at, block.count, width, out);
  if (!list_has_exceptions(block)) return;
  exceptions_of(block, size).patch_block(block.index, width, out);
}

void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out) {
  const std::uint64_t size = checked_size(block);
  const std::uint32_t width = low_width(block);
  std::uint32_t bits = 0;
  if (!list_has_exceptions(block)) {
    bits = decode_kernels().unpack_sum(block.at, block.count, width, base, out);
  } else {
    decode_kernels().unpack(block.at, block.count, width, out);
    exceptions_of(block, size).patch_block(block.index, width, out);
    bits = decode_kernels().sum(out, block.count, base);
  }
  check_docids(out, block.count, base, last, bits);
}

std::uint32_t value_at(const Block& block, std::uint32_t index) {
  const std::uint64_t size = checked_size(block);
  const std::uint32_t width = low_width(block);
  const auto low =
      static_cast<std::uint32_t>(read_bits(block.at, std::uint64_t{index} * width, width));
  if (!list_has_exceptions(block)) return low;
  return low + exceptions_of(block, size).high_at(block.index, index, width);
}

std::uint32_t single_block_size(const Block& block) {
  const std::uint64_t size = checked_size(block);
  if (!list_has_exceptions(block)) return static_cast<std::uint32_t>(size);
  return static_cast<std::uint32_t>(exceptions_of(block, size).end() - block.at);
}

}  // namespace warpdex::pfor
