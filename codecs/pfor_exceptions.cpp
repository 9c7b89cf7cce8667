// Reading the exceptions; pfor_encode.cpp writes them.
#include "pfor_exceptions.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::pfor {
namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr std::uint64_t kTopBits = 0x80 * kEachByte;

/// The lowest `count` bytes set; all, from 8 on.
constexpr std::uint64_t byte_mask(std::uint32_t count) {
  return count >= 8 ? ~std::uint64_t{0} : low_mask(8 * count);
}

/// The sum of `count` (up to 31) bytes. Reads 32, whatever the count, since a loop of a length that
/// differs with each block would mostly cost its mispredicted end.
std::uint32_t sum_bytes(const std::uint8_t* bytes, std::uint32_t count) {
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FF;
  std::uint64_t sums = 0;  // four sums of 16 bits, each at most 8 * 255
  for (std::uint32_t i = 0; i < kCountGroup; i += 8) {
    const std::uint64_t word = load64(bytes + i) & byte_mask(count > i ? count - i : 0);
    sums += (word & kEvenBytes) + ((word >> 8) & kEvenBytes);
  }
  return static_cast<std::uint32_t>((sums * 0x0001000100010001) >> 48);
}

/// How many of `count` bytes, each taken modulo 128, are below `limit` (up to 128).
std::uint32_t count_below(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t limit) {
  std::uint64_t below = 0;
  for (std::uint32_t i = 0; i < 16 || i < count; i += 8) {  // few blocks have more than 16
    const std::uint64_t reached = (load64(bytes + i) | kTopBits) - limit * kEachByte;
    const std::uint64_t valid = byte_mask(count > i ? count - i : 0);
    const std::uint64_t flags = (~reached & kTopBits & valid) >> 7;
    below += (flags * kEachByte) >> 56;
  }
  return static_cast<std::uint32_t>(below);
}

}  // namespace

Exceptions::Exceptions(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t blocks,
                       int levels)
    : end_(end), levels_(levels) {
  parse_counts(at, blocks);
  if (levels_ == 0) {
    parse_plain_arrays(at);
  } else {
    parse_compressed_arrays(at);
  }
  highs_.exceptions = at;
}

WARPDEX_ALWAYS_INLINE void Exceptions::parse_plain_arrays(const std::uint8_t*& at) {
  check_room(at, end_, 1);
  const std::uint8_t high_width = *at;
  if (high_width % 8 != 0) throw_damaged_block();
  ++at;
  parse_array(gaps_, kPositionWidth, at);
  parse_array(highs_, high_width, at);
}

void Exceptions::parse_compressed_arrays(const std::uint8_t*& at) {
  check_room(at, end_, 2);
  const std::uint8_t gap_code = at[0];
  const std::uint8_t high_code = at[1];
  at += 2;
  parse_array(gaps_, gap_code, at);
  parse_array(highs_, high_code, at);
  if (!gaps_.has_exceptions) return;
  check_room(at, end_, sizeof(std::uint32_t));
  const std::uint32_t bytes = load32(at);
  at += sizeof(std::uint32_t);
  check_room(at, end_, bytes);
  gaps_.exceptions = at;
  at += bytes;
}

WARPDEX_ALWAYS_INLINE void Exceptions::parse_counts(const std::uint8_t*& at, std::uint64_t blocks) {
  if (blocks == 1) {
    check_room(at, end_, 1);
    counts_ = at;
    total_ = *at;
    ++at;
    return;
  }
  const std::uint64_t base_bytes = sizeof(std::uint32_t) * ((blocks - 1) / kCountGroup);
  check_room(at, end_, sizeof(std::uint32_t) + base_bytes + blocks);
  total_ = load32(at);
  bases_ = at + sizeof(std::uint32_t);
  counts_ = bases_ + base_bytes;
  at = counts_ + blocks;
}

WARPDEX_ALWAYS_INLINE void Exceptions::parse_array(Array& array, std::uint8_t code,
                                                   const std::uint8_t*& at) const {
  array.width = code & ~kExceptionsFlag;
  array.has_exceptions = (code & kExceptionsFlag) != 0;
  if (array.width > 32 || (array.has_exceptions && levels_ == 0)) throw_damaged_block();
  const std::uint64_t bytes = bytes_for_bits(total_ * array.width);
  check_room(at, end_, bytes);
  array.packed = at;
  at += bytes;
}

WARPDEX_ALWAYS_INLINE Exceptions::Range Exceptions::range_of(std::uint64_t block) const {
  const std::uint64_t group = block / kCountGroup;
  const auto in_group = static_cast<std::uint32_t>(block % kCountGroup);
  Range range;
  if (group != 0) range.start = load32(bases_ + sizeof(std::uint32_t) * (group - 1));
  range.start += sum_bytes(counts_ + group * kCountGroup, in_group);
  range.count = counts_[block];
  if (range.count > kBlockSize || range.start + range.count > total_) throw_damaged_block();
  return range;
}

Exceptions Exceptions::nested(const Array& array) const {
  return {array.exceptions, end_, (total_ + kBlockSize - 1) / kBlockSize, levels_ - 1};
}

/// Values are packed from whole bytes on in groups of eight, so reading starts with a group.
const std::uint32_t* Exceptions::read(const Array& array, Range range, Buffer& buffer) const {
  const auto before = static_cast<std::uint32_t>(range.start % 8);
  const std::uint8_t* from = array.packed + range.start / 8 * array.width;
  // Two groups hold most blocks' exceptions. Unpacking two every time avoids a mispredicted branch.
  const bool room = static_cast<std::uint64_t>(end_ - from) >= 2 * kGroup * sizeof(std::uint32_t);
  const std::uint32_t count = before + range.count;
  decode_kernels().unpack(from, room ? std::max(count, 2 * kGroup) : count, array.width, buffer);
  std::uint32_t* values = buffer + before;
  if (array.has_exceptions) patch_range(array, range, values);
  return values;
}

/// Adds the high bits of a range's values. Only exceptions within it are read in full.
void Exceptions::patch_range(const Array& array, Range range, std::uint32_t* values) const {
  const Exceptions inner = nested(array);
  const std::uint64_t end = range.start + range.count;
  for (std::uint64_t block = range.start / kBlockSize; block * kBlockSize < end; ++block) {
    const std::uint64_t origin = block * kBlockSize;
    const std::uint64_t first = std::max(range.start, origin) - origin;
    const std::uint64_t last = std::min(end - origin, std::uint64_t{kBlockSize});
    inner.for_each(block, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last),
                   [&](std::uint32_t position, std::uint32_t high) {
                     const std::uint64_t place = origin + position - range.start;
                     if (place < range.count) values[place] += high << array.width % 32;
                   });
  }
}

/// Calls visit(position in the block, high bits) for the exceptions of a block at positions in
/// [first, last). Damaged bytes may yield any positions below kBlockSize.
template <typename Visit>
void Exceptions::for_each(std::uint64_t block, std::uint32_t first, std::uint32_t last,
                          Visit visit) const {
  const Range range = range_of(block);
  if (range.count == 0) return;
  if (levels_ == 0) return for_each_plain(range, first, last, visit);
  Buffer position_buffer;
  const std::uint32_t* positions = read_positions(range, position_buffer);
  std::uint32_t begin = 0;
  std::uint32_t end = range.count;
  if (first != 0 || last != kBlockSize) {
    end = 0;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      begin += positions[i] < first;
      end += positions[i] < last;
    }
    if (begin >= end) return;
  }
  Buffer high_buffer;
  const std::uint32_t* highs = read(highs_, {range.start + begin, end - begin}, high_buffer);
  for (std::uint32_t i = begin; i < end; ++i) {
    visit(positions[i] % kBlockSize, highs[i - begin] + 1);
  }
}

template <typename Visit>
void Exceptions::for_each_plain(Range range, std::uint32_t first, std::uint32_t last,
                                Visit visit) const {
  const std::uint8_t* positions = gaps_.packed + range.start;
  const std::uint32_t begin = first == 0 ? 0 : count_below(positions, range.count, first);
  const std::uint32_t end =
      last == kBlockSize ? range.count : count_below(positions, range.count, last);
  const std::uint32_t width = highs_.width / 8;
  const std::uint8_t* highs = highs_.packed + range.start * width;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint64_t high = load64(highs + i * width) & low_mask(highs_.width);
    visit(positions[i] % kBlockSize, static_cast<std::uint32_t>(high) + 1);
  }
}

/// Positions in the block of the exceptions of a range, all of which are in the same block.
WARPDEX_ALWAYS_INLINE const std::uint32_t* Exceptions::read_positions(Range range,
                                                                      Buffer& buffer) const {
  read(gaps_, range, buffer);
  std::uint32_t* positions = buffer + range.start % 8;
  std::uint64_t next = 0;  // cannot wrap: 128 gaps of 32 bits
  for (std::uint32_t i = 0; i < range.count; ++i) {
    next += positions[i];
    positions[i] = static_cast<std::uint32_t>(next++);
  }
  if (next > kBlockSize) throw_damaged_block();
  return positions;
}

void Exceptions::patch_block(std::uint64_t block, std::uint32_t width,
                             std::uint32_t* values) const {
  for_each(block, 0, kBlockSize, [=](std::uint32_t position, std::uint32_t high) {
    values[position] += high << width % 32;
  });
}

std::uint32_t Exceptions::high_at(std::uint64_t block, std::uint32_t index,
                                  std::uint32_t width) const {
  std::uint32_t found = 0;
  for_each(block, index, index + 1, [&](std::uint32_t position, std::uint32_t high) {
    if (position == index) found += high;
  });
  return found << width % 32;
}

const std::uint8_t* Exceptions::end() const {
  return highs_.has_exceptions ? nested(highs_).end() : highs_.exceptions;
}

}  // namespace warpdex::pfor
