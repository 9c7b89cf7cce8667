// Reading the exceptions; pfor_encode.cpp writes them.
#include "warpdex/codecs/pfor_exceptions.hpp"

#include <algorithm>

#include "warpdex/codecs/kernels.hpp"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::pfor {
namespace {

/// The sum of `count` (up to 31) bytes. Reads whole words.
std::uint32_t sum_bytes(const std::uint8_t* bytes, std::uint32_t count) {
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FF;
  std::uint64_t sums = 0;  // four sums of 16 bits, each at most 8 * 255
  for (; count != 0; bytes += 8) {
    std::uint64_t word = load64(bytes);
    if (count < 8) word &= low_mask(8 * count);
    sums += (word & kEvenBytes) + ((word >> 8) & kEvenBytes);
    count -= std::min(count, 8U);
  }
  return static_cast<std::uint32_t>((sums * 0x0001000100010001) >> 48);
}

}  // namespace

Exceptions::Exceptions(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t blocks,
                       int levels)
    : end_(end), levels_(levels) {
  parse_counts(at, blocks);
  check_room(at, end_, 2);
  const std::uint8_t gap_code = at[0];
  const std::uint8_t high_code = at[1];
  at += 2;
  parse_array(gaps_, gap_code, at);
  parse_array(highs_, high_code, at);
  if (gaps_.has_exceptions) {
    check_room(at, end_, sizeof(std::uint32_t));
    const std::uint32_t bytes = load32(at);
    at += sizeof(std::uint32_t);
    check_room(at, end_, bytes);
    gaps_.exceptions = at;
    at += bytes;
  }
  highs_.exceptions = at;
}

void Exceptions::parse_counts(const std::uint8_t*& at, std::uint64_t blocks) {
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

void Exceptions::parse_array(Array& array, std::uint8_t code, const std::uint8_t*& at) const {
  array.width = code & ~kExceptionsFlag;
  array.has_exceptions = (code & kExceptionsFlag) != 0;
  if (array.width > 32 || (array.has_exceptions && levels_ == 0)) throw_damaged_block();
  const std::uint64_t bytes = bytes_for_bits(total_ * array.width);
  check_room(at, end_, bytes);
  array.packed = at;
  at += bytes;
}

Exceptions::Range Exceptions::range_of(std::uint64_t block) const {
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
  kernels().unpack(array.packed + range.start / 8 * array.width, before + range.count, array.width,
                   buffer);
  std::uint32_t* values = buffer + before;
  if (array.has_exceptions) patch_range(array, range, values);
  return values;
}

void Exceptions::patch_range(const Array& array, Range range, std::uint32_t* values) const {
  const Exceptions inner = nested(array);
  const std::uint64_t end = range.start + range.count;
  for (std::uint64_t block = range.start / kBlockSize; block * kBlockSize < end; ++block) {
    const std::uint64_t first = block * kBlockSize;
    inner.for_each(inner.range_of(block), [&](std::uint32_t position, std::uint32_t high) {
      const std::uint64_t place = first + position;
      if (place < range.start || place >= end) return;
      values[place - range.start] += high << array.width % 32;
    });
  }
}

/// Calls visit(position in the block, high bits) for the exceptions of a block, in order.
template <typename Visit>
void Exceptions::for_each(Range range, Visit visit) const {
  if (range.count == 0) return;
  Buffer gap_buffer;
  Buffer high_buffer;
  const std::uint32_t* gaps = read(gaps_, range, gap_buffer);
  const std::uint32_t* highs = read(highs_, range, high_buffer);
  std::uint64_t position = 0;
  for (std::uint32_t i = 0; i < range.count; ++i) {
    position += gaps[i];
    if (position >= kBlockSize) throw_damaged_block();
    visit(static_cast<std::uint32_t>(position), highs[i] + 1);
    ++position;
  }
}

void Exceptions::patch_block(std::uint64_t block, std::uint32_t count, std::uint32_t width,
                             std::uint32_t* values) const {
  for_each(range_of(block), [=](std::uint32_t position, std::uint32_t high) {
    if (position < count) values[position] += high << width % 32;
  });
}

std::uint32_t Exceptions::high_at(std::uint64_t block, std::uint32_t index,
                                  std::uint32_t width) const {
  const Range range = range_of(block);
  if (range.count == 0) return 0;
  Buffer buffer;
  const std::uint32_t* gaps = read(gaps_, range, buffer);
  std::uint64_t position = gaps[0];
  std::uint32_t i = 0;
  while (position < index && ++i < range.count) position += std::uint64_t{gaps[i]} + 1;
  if (position != index) return 0;
  return (*read(highs_, {range.start + i, 1}, buffer) + 1) << width % 32;
}

const std::uint8_t* Exceptions::end() const {
  return highs_.has_exceptions ? nested(highs_).end() : highs_.exceptions;
}

}  // namespace warpdex::pfor
