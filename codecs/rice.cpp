// The blocks of `rice`: the choice of the width, the unary part, and values too large for it.
#include "rice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "bitpack.hpp"
#include "kernels.hpp"
#include "warpdex/codecs/rice_layout.hpp"

namespace warpdex::rice {
namespace {

/// The widest binary part: one bit more never makes a list smaller.
constexpr std::uint32_t kMaxWidth = 31;

/// Bits of an escaped quotient.
constexpr std::uint32_t escaped_width(std::uint32_t width) { return 32 - width; }

// ---------------------------------------------------------------------------------- encoding

/// Enough about a list's values to tell its exact size for every width of the binary part.
class SizeTable {
 public:
  void add(std::uint32_t value) {
    const std::uint32_t width = width_of(value);
    ++counts_[width];
    for (std::uint32_t top = 1; top <= kEscapeLog; ++top) {
      sums_[width][top] += width >= top ? value >> (width - top) : 0;
    }
  }

  /// Bits of all values with a binary part of `width` bits.
  std::uint64_t bits(std::uint32_t width) const {
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i <= 32; ++i) {
      if (i > width + kEscapeLog) {
        bits += std::uint64_t{counts_[i]} * (width + kEscape + 1 + escaped_width(width));
      } else {
        bits += std::uint64_t{counts_[i]} * (width + 1) + (i > width ? sums_[i][i - width] : 0);
      }
    }
    return bits;
  }

 private:
  std::array<std::uint32_t, 33> counts_{};
  /// [w][t]: the sum, over the values of w bits, of their t highest bits.
  std::array<std::array<std::uint64_t, kEscapeLog + 1>, 33> sums_{};
};

/// The width that makes the list smallest; the smallest such.
std::uint32_t choose_width(const BlockedValues& values) {
  SizeTable sizes;
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    for (const std::uint32_t value : values.block(i)) sizes.add(value);
  }
  std::uint32_t best = 0;
  std::uint64_t best_bits = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t width = 0; width <= kMaxWidth; ++width) {
    const std::uint64_t bits = sizes.bits(width);
    if (bits < best_bits) {
      best_bits = bits;
      best = width;
    }
  }
  return best;
}

std::uint64_t bits_of(std::span<const std::uint32_t> values, std::uint32_t width) {
  std::uint64_t bits = values.size() * (std::uint64_t{width} + 1);
  for (const std::uint32_t value : values) {
    const std::uint32_t quotient = value >> width;
    bits += quotient < kEscape ? quotient : kEscape + escaped_width(width);
  }
  return bits;
}

/// `quotient` (up to kEscape) zeros and a one.
void put_unary(std::uint32_t quotient, BitWriter& writer) {
  for (; quotient > 31; quotient -= 31) writer.put(0, 31);
  writer.put(std::uint64_t{1} << quotient, quotient + 1);
}

void append(std::span<const std::uint32_t> values, std::uint32_t width,
            std::vector<std::uint8_t>& bytes) {
  BitWriter writer(bytes);
  const std::uint64_t mask = low_mask(width);
  for (const std::uint32_t value : values) writer.put(value & mask, width);
  bool escapes = false;
  for (const std::uint32_t value : values) {
    const std::uint32_t quotient = std::min(value >> width, kEscape);
    escapes |= quotient == kEscape;
    put_unary(quotient, writer);
  }
  for (const std::uint32_t value : values) {
    if (!escapes) break;
    if (value >> width >= kEscape) writer.put(value >> width, escaped_width(width));
  }
  writer.finish();
}

// ---------------------------------------------------------------------------------- decoding

/// The ends of a block's unary codes: code i lies in bits [ends()[i - 1], ends()[i]) from `bytes`.
class Unary {
 public:
  /// Finds those of the first `codes` values.
  Unary(const Block& block, std::uint32_t width, std::uint32_t codes) {
    const std::uint64_t start = std::uint64_t{block.count} * width;
    check_room(block.at, block.list->end, start / 8);
    bytes = block.at + start / 8;
    const auto first = static_cast<std::uint32_t>(start % 8);
    // No unary part is longer than this; what lies behind it is not looked at.
    const std::uint64_t longest = bytes_for_bits(first + block.count * (kEscape + 1));
    const std::uint64_t left = static_cast<std::uint64_t>(block.list->end - bytes);
    const std::uint8_t* end = bytes + std::min(longest, left);
    ends_[0] = static_cast<std::uint16_t>(first);
    if (decode_kernels().find_ones(bytes, first, end, codes, ends_ + 1) < codes) {
      throw_damaged_block();
    }
    if (ends_[codes] > 8 * left) throw_damaged_block();
  }

  const std::uint16_t* ends() const { return ends_ + 1; }
  std::uint32_t quotient(std::uint32_t i) const { return ends_[i + 1] - ends_[i] - 1U; }

  const std::uint8_t* bytes;

 private:
  std::uint16_t ends_[1 + kEnds];
};

std::uint32_t checked_width(const Block& block) {
  if (block.list->parameter > kMaxWidth) throw_damaged_block();
  return block.list->parameter;
}

/// The block as a block of `bitpack`.
Block packed(const Block& block) {
  Block copy = block;
  copy.code = static_cast<std::uint8_t>(block.code - kPackedCode);
  return copy;
}

/// Reads the escaped quotients in order.
class Escapes {
 public:
  Escapes(const Block& block, const Unary& unary, std::uint32_t width)
      : block_(block),
        unary_(unary),
        width_(escaped_width(width)),
        bit_(unary.ends()[block.count - 1]) {}

  std::uint32_t next() {
    check_room(unary_.bytes, block_.list->end, bytes_for_bits(bit_ + width_));
    const std::uint64_t quotient = read_bits(unary_.bytes, bit_, width_);
    bit_ += width_;
    return static_cast<std::uint32_t>(quotient);
  }
  std::uint64_t end_bit() const { return bit_; }

 private:
  const Block& block_;
  const Unary& unary_;
  std::uint32_t width_;
  std::uint64_t bit_;
};

/// Replaces escaped quotients, which were added as kEscape, by their true values.
void patch_escapes(const Block& block, const Unary& unary, std::uint32_t width,
                   std::uint32_t* out) {
  Escapes escapes(block, unary, width);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const std::uint32_t quotient = unary.quotient(i);
    if (quotient < kEscape) continue;
    if (quotient > kEscape) throw_damaged_block();
    out[i] += (escapes.next() - kEscape) << width;
  }
}

void decode_gaps(const Block& block, const Unary& unary, std::uint32_t width, std::uint32_t* out) {
  decode_kernels().unpack(block.at, block.count, width, out);
  const std::uint32_t largest =
      decode_kernels().add_quotients(unary.ends(), block.count, width, out);
  if (largest >= kEscape) patch_escapes(block, unary, width, out);
}

/// The quotient of an escaped value; it lies behind those of the escaped values before it.
std::uint32_t escaped_quotient(const Block& block, std::uint32_t width, std::uint32_t index) {
  const Unary unary(block, width, block.count);
  Escapes escapes(block, unary, width);
  for (std::uint32_t i = 0; i < index; ++i) {
    if (unary.quotient(i) >= kEscape) escapes.next();
  }
  return escapes.next();
}

}  // namespace

void encode(const BlockedValues& values, EncodedValues& out) {
  const std::uint32_t width = choose_width(values);
  out.parameter = static_cast<std::uint8_t>(width);
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    const auto block = values.block(i);
    std::uint32_t bits = 0;
    for (const std::uint32_t value : block) bits |= value;
    const std::uint32_t packed_width = width_of(bits);
    // A single block has the best width and no code that says otherwise.
    if (values.blocks() == 1 || bits_of(block, width) <= block.size() * packed_width) {
      append(block, width, out.bytes);
      out.codes.push_back(kRiceCode);
    } else {
      pack(block, packed_width, out.bytes);
      out.codes.push_back(static_cast<std::uint8_t>(kPackedCode + packed_width));
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.bytes.size()));
  }
}

void decode_values(const Block& block, std::uint32_t* out) {
  if (block.code != kRiceCode) return bitpack::decode_values(packed(block), out);
  const std::uint32_t width = checked_width(block);
  const Unary unary(block, width, block.count);
  decode_gaps(block, unary, width, out);
}

void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out) {
  if (block.code != kRiceCode) return bitpack::decode_docids(packed(block), base, last, out);
  const std::uint32_t width = checked_width(block);
  const Unary unary(block, width, block.count);
  decode_kernels().unpack_sum(block.at, block.count, width, base, out);
  const std::uint32_t largest =
      decode_kernels().add_quotient_sums(unary.ends(), block.count, width, out);
  if (largest < kEscape) {
    // Each binary part is below 2^width: this is an upper bound of the sum.
    const std::uint64_t quotients = unary.ends()[block.count - 1];
    const std::uint64_t bound = ((quotients + block.count) << width) + block.count;
    check_docids(out, block.count, base, last, 0);
    if (bound > 0xFFFFFFFF) check_ascending(out, block.count, base);
    return;
  }
  decode_gaps(block, unary, width, out);
  const std::uint32_t bits = decode_kernels().sum(out, block.count, base);
  check_docids(out, block.count, base, last, bits);
}

std::uint32_t value_at(const Block& block, std::uint32_t index) {
  if (block.code != kRiceCode) return bitpack::value_at(packed(block), index);
  const std::uint32_t width = checked_width(block);
  std::uint32_t quotient = Unary(block, width, index + 1).quotient(index);
  if (quotient >= kEscape) quotient = escaped_quotient(block, width, index);
  const std::uint64_t binary = read_bits(block.at, std::uint64_t{index} * width, width);
  return static_cast<std::uint32_t>(binary) + (quotient << width);
}

std::uint32_t single_block_size(const Block& block) {
  if (block.code != kRiceCode) return bitpack::single_block_size(packed(block));
  const Unary unary(block, checked_width(block), block.count);
  Escapes escapes(block, unary, block.list->parameter);
  for (std::uint32_t i = 0; i < block.count; ++i) {
    if (unary.quotient(i) >= kEscape) escapes.next();
  }
  const std::uint64_t unary_bytes = bytes_for_bits(escapes.end_bit());
  check_room(unary.bytes, block.list->end, unary_bytes);
  return static_cast<std::uint32_t>(unary.bytes - block.at + unary_bytes);
}

}  // namespace warpdex::rice
