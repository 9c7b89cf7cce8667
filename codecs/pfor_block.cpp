// The blocks of `pfor-block`: the choice of their widths, and their exceptions.
#include "pfor_block.hpp"

#include <limits>

#include "kernels.hpp"
#include "warpdex/codecs/pfor_block_layout.hpp"
#include "warpdex/codecs/pfor_block_values.hpp"

namespace warpdex::pfor_block {
namespace {

/// The exceptions of a block: entry i is `position | (high - 1) << kPositionBits`.
struct Exceptions {
  std::uint32_t count = 0;
  std::uint32_t low_width = 0;
  std::uint32_t entry_width = 0;
  const std::uint8_t* entries = nullptr;

  std::uint64_t entry(std::uint32_t i) const {
    return read_bits(entries, i * entry_width, entry_width);
  }
  std::uint64_t bytes() const { return bytes_for_bits(count * entry_width); }
};

std::uint32_t position_of(std::uint64_t entry) { return entry & (kBlockSize - 1); }

std::uint32_t high_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> kPositionBits) + 1;
}

/// Finds and checks the block's parts; the packed part starts the block.
Exceptions parse(const Block& block) {
  Exceptions exceptions;
  exceptions.low_width = block.code & ~kExceptionsFlag;
  if (exceptions.low_width > 32) throw_damaged_block();
  const std::uint64_t packed = bytes_for_bits(std::uint64_t{block.count} * exceptions.low_width);
  if ((block.code & kExceptionsFlag) == 0) {
    check_room(block.at, block.list->end, packed);
    exceptions.entries = block.at + packed;
    return exceptions;
  }
  check_room(block.at, block.list->end, packed + kHeaderBytes);
  const std::uint8_t* header = block.at + packed;
  exceptions.count = header[0];
  const std::uint32_t high_width = header[1];
  if (exceptions.count > block.count || exceptions.low_width + high_width > 32 ||
      exceptions.low_width == 32) {
    throw_damaged_block();
  }
  exceptions.entry_width = kPositionBits + high_width;
  exceptions.entries = header + kHeaderBytes;
  check_room(exceptions.entries, block.list->end, exceptions.bytes());
  return exceptions;
}

/// Adds the high bits. Positions are at most 127, for which `values` has room.
void patch(const Exceptions& exceptions, std::uint32_t* values) {
  for (std::uint32_t i = 0; i < exceptions.count; ++i) {
    const std::uint64_t entry = exceptions.entry(i);
    values[position_of(entry)] += high_of(entry) << exceptions.low_width;
  }
}

struct Choice {
  std::uint32_t width = 0;
  std::uint32_t high_width = 0;  ///< of high - 1
  std::uint32_t exceptions = 0;
};

/// The width that makes the block smallest; the largest such.
Choice choose(std::span<const std::uint32_t> values, bool short_list) {
  WidthHistogram histogram;
  histogram.add(values);
  const std::uint32_t widest = histogram.widest();
  std::uint32_t largest = 0;
  for (const std::uint32_t value : values) largest = std::max(largest, value);
  Choice best;
  std::uint64_t best_bits = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t exceptions = 0;
  for (std::uint32_t width = widest + 1; width-- > 0;) {
    const std::uint32_t high_width = exceptions == 0 ? 0 : width_of((largest >> width) - 1);
    std::uint64_t bits = 8 * bytes_for_bits(values.size() * width);
    if (exceptions != 0) {
      bits += 8 * kHeaderBytes + (short_list ? kShortListEscapeBits : 0);
      bits += 8 * bytes_for_bits(exceptions * (kPositionBits + high_width));
    }
    if (bits < best_bits) {
      best_bits = bits;
      best = {width, high_width, exceptions};
    }
    exceptions += histogram.counts[width];
  }
  return best;
}

void append_exceptions(std::span<const std::uint32_t> values, const Choice& choice,
                       std::vector<std::uint8_t>& bytes) {
  bytes.push_back(static_cast<std::uint8_t>(choice.exceptions));
  bytes.push_back(static_cast<std::uint8_t>(choice.high_width));
  BitWriter writer(bytes);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const std::uint32_t high = values[i] >> choice.width;
    if (high == 0) continue;
    writer.put(i, kPositionBits);
    writer.put(high - 1, choice.high_width);
  }
  writer.finish();
}

}  // namespace

void encode(const BlockedValues& values, EncodedValues& out) {
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    const auto block = values.block(i);
    const Choice choice = choose(block, values.short_list());
    pack(block, choice.width, out.bytes);
    if (choice.exceptions != 0) append_exceptions(block, choice, out.bytes);
    out.codes.push_back(
        static_cast<std::uint8_t>(choice.width + (choice.exceptions != 0 ? kExceptionsFlag : 0)));
    out.offsets.push_back(static_cast<std::uint32_t>(out.bytes.size()));
  }
}

void decode_values(const Block& block, std::uint32_t* out) {
  const Exceptions exceptions = parse(block);
  decode_kernels().unpack(block.at, block.count, exceptions.low_width, out);
  patch(exceptions, out);
}

void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out) {
  const Exceptions exceptions = parse(block);
  std::uint32_t bits = 0;
  if (exceptions.count == 0) {
    bits = decode_kernels().unpack_sum(block.at, block.count, exceptions.low_width, base, out);
  } else {
    decode_kernels().unpack(block.at, block.count, exceptions.low_width, out);
    patch(exceptions, out);
    bits = decode_kernels().sum(out, block.count, base);
  }
  check_docids(out, block.count, base, last, bits);
}

std::uint32_t value_at(const Block& block, std::uint32_t index) {
  const Exceptions exceptions = parse(block);
  const std::uint32_t width = exceptions.low_width;
  auto value = static_cast<std::uint32_t>(read_bits(block.at, std::uint64_t{index} * width, width));
  for (std::uint32_t i = 0; i < exceptions.count; ++i) {
    const std::uint64_t entry = exceptions.entry(i);
    if (position_of(entry) == index) value += high_of(entry) << width;
  }
  return value;
}

std::uint32_t single_block_size(const Block& block) {
  const Exceptions exceptions = parse(block);
  return static_cast<std::uint32_t>(exceptions.entries + exceptions.bytes() - block.at);
}

static void read_values(const Block& block, std::uint32_t index, std::uint32_t count,
                        std::uint32_t* out) {
  const Exceptions exceptions = parse(block);
  const std::uint32_t width = exceptions.low_width;
  for (std::uint32_t i = 0; i < count; ++i) {
    out[i] =
        static_cast<std::uint32_t>(read_bits(block.at, std::uint64_t{index + i} * width, width));
  }
  for (std::uint32_t i = 0; i < exceptions.count; ++i) {
    const std::uint64_t entry = exceptions.entry(i);
    const std::uint32_t place = position_of(entry) - index;  // wraps before `index`
    if (place < count) out[place] += high_of(entry) << width;
  }
}

}  // namespace warpdex::pfor_block

namespace warpdex {

void read_pfor_block_values(const EncodedList& list, const BlockRef& block, std::uint32_t index,
                            std::uint32_t count, std::uint32_t* out) {
  if (block.offset > static_cast<std::uint64_t>(list.end - list.begin)) throw_damaged_block();
  const std::uint32_t left = list.count - block.index * kBlockSize;
  pfor_block::read_values({.list = &list,
                           .at = list.begin + block.offset,
                           .count = left < kBlockSize ? left : kBlockSize,
                           .index = block.index,
                           .code = block.code},
                          index, count, out);
}

}  // namespace warpdex
