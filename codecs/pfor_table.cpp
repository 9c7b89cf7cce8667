// Makes the table of where the exceptions of a list's blocks are, by one pass over the tail.
#include <algorithm>
#include <array>

#include "pfor_exceptions.hpp"
#include "warpdex/codecs/exception_table.hpp"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex {
namespace {

/// Numbers of exceptions: of the list, of their gaps, of their high bits.
using Numbers = std::array<std::uint64_t, 3>;

/// The entry of a block whose exceptions are those from `start` to `end`.
ExceptionEntry entry_of(const Numbers& base, const Numbers& start, const Numbers& end) {
  ExceptionEntry entry = 0;
  for (std::uint32_t i = 0; i < start.size(); ++i) {
    const std::uint64_t count = end[i] - start[i];
    if (count > kBlockSize) throw_damaged_block();
    entry |= count << (i * kEntryCountBits);
    entry |= (start[i] - base[i]) << (start.size() * kEntryCountBits + i * kEntryStartBits);
  }
  return entry;
}

}  // namespace

namespace pfor {

/// Walks through the plain exceptions of one of a tail's arrays, in order.
class Exceptions::ArrayWalk {
 public:
  ArrayWalk(const Exceptions& tail, const Array& array)
      : blocks_((tail.total_ + kBlockSize - 1) / kBlockSize) {
    if (tail.levels_ != 1 || !array.has_exceptions) return;
    const Exceptions exceptions = tail.nested(array);
    total_ = exceptions.total_;
    counts_ = exceptions.counts_;
    positions_ = exceptions.gaps_.packed;
    block_end_ = counts_[0];
  }

  /// How many of the array's first `count` values are exceptions. Counts must ascend from call to
  /// call.
  std::uint64_t of_first(std::uint64_t count) {
    for (; next_ < total_; ++next_) {
      while (next_ >= block_end_) {
        if (++block_ == blocks_) throw_damaged_block();
        block_end_ += counts_[block_];
      }
      if (block_ * kBlockSize + positions_[next_] % kBlockSize >= count) break;
    }
    return next_;
  }

 private:
  std::uint64_t blocks_;                     ///< of the array
  std::uint64_t total_ = 0;                  ///< exceptions
  const std::uint8_t* counts_ = nullptr;     ///< of exceptions, one a block
  const std::uint8_t* positions_ = nullptr;  ///< of the exceptions
  std::uint64_t next_ = 0;                   ///< number of the next exception
  std::uint64_t block_ = 0;                  ///< its block
  std::uint64_t block_end_ = 0;              ///< the number behind that block's last exception
};

void Exceptions::make_table(std::span<ExceptionEntry> entries,
                            std::span<ExceptionBase> bases) const {
  ArrayWalk in_gaps(*this, gaps_);
  ArrayWalk in_highs(*this, highs_);
  Numbers base{};
  Numbers start{};
  for (std::size_t block = 0; block < entries.size(); ++block) {
    if (block != 0 && block % kCountGroup == 0) {
      base = start;
      bases[block / kCountGroup - 1] = {static_cast<std::uint32_t>(base[0]),
                                        static_cast<std::uint32_t>(base[1]),
                                        static_cast<std::uint32_t>(base[2])};
    }
    const std::uint64_t own = start[0] + counts_[block];
    if (own > total_) throw_damaged_block();
    const Numbers end = {own, in_gaps.of_first(own), in_highs.of_first(own)};
    entries[block] = entry_of(base, start, end);
    start = end;
  }
}

}  // namespace pfor

namespace {

std::uint64_t blocks_of(const EncodedList& list) {
  return (std::uint64_t{list.count} + kBlockSize - 1) / kBlockSize;
}

/// A tail of one level with the same exceptions, with slack.
std::vector<std::uint8_t> flatten(const pfor::Exceptions& exceptions, const EncodedList& list) {
  // The values' high bits alone: all that are not 0 are exceptions of a list of width 0.
  std::vector<std::uint32_t> highs(blocks_of(list) * kBlockSize);
  for (std::uint64_t block = 0; block < blocks_of(list); ++block) {
    exceptions.patch_block(block, 0, highs.data() + block * kBlockSize);
  }
  highs.resize(list.count);
  std::vector<std::uint8_t> tail = pfor::encode_exceptions(BlockedValues(highs, {}), 0, 1).bytes;
  tail.resize(tail.size() + kReadSlack);
  return tail;
}

}  // namespace

std::vector<std::uint8_t> make_exception_table(const EncodedList& list, std::uint32_t tail_offset,
                                               std::span<ExceptionEntry> entries,
                                               std::span<ExceptionBase> bases) {
  std::fill(entries.begin(), entries.end(), 0);
  std::fill(bases.begin(), bases.end(), ExceptionBase{});
  if ((list.parameter & kExceptionsFlag) == 0) return {};
  check_room(list.begin, list.end, tail_offset);
  const std::uint64_t blocks = blocks_of(list);
  const std::uint8_t levels = list.settings.pfor_levels;
  const pfor::Exceptions exceptions(list.begin + tail_offset, list.end, blocks, levels);
  if (levels <= 1) {
    exceptions.make_table(entries, bases);
    return {};
  }
  std::vector<std::uint8_t> flat = flatten(exceptions, list);
  const std::uint8_t* const end = flat.data() + flat.size() - kReadSlack;
  pfor::Exceptions(flat.data(), end, blocks, 1).make_table(entries, bases);
  return flat;
}

}  // namespace warpdex
