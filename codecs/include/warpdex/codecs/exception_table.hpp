// A table of where the exceptions of each block of a `pfor` list are. In the list's tail this takes
// several reads, each of which depends on the one before. With the table, a decoder of a single
// block, above all on a GPU, reads all of the block's exceptions at once. The table is not stored
// in an index but made from the tails where it is needed. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/codecs/codec.hpp"

namespace warpdex {

/// Exceptions are numbered in the order of their list. In a list with one level of recursion, some
/// of the exceptions' gaps and high bits have exceptions themselves, which are numbered in the same
/// way.
///
/// The numbers of exceptions of each kind before the first block of a group of 32.
struct alignas(16) ExceptionBase {
  std::uint32_t first = 0;     ///< of the list
  std::uint32_t in_gaps = 0;   ///< of their gaps
  std::uint32_t in_highs = 0;  ///< of their high bits
  std::uint32_t padding = 0;
};

/// A block's entry. From the lowest bit on: the numbers of its exceptions, of the exceptions of
/// their gaps, and of those of their high bits (8 bits each); then the numbers of each kind before
/// the block, counted from its group's base (12 bits each).
using ExceptionEntry = std::uint64_t;
inline constexpr std::uint32_t kEntryCountBits = 8;
inline constexpr std::uint32_t kEntryStartBits = 12;
static_assert(31 * kBlockSize < 1U << kEntryStartBits && kBlockSize < 1U << kEntryCountBits);

/// Fills in the table of a `pfor` list: `entries` has one a block, `bases` one a group of 32 blocks
/// but the first, whose base is 0. All zero if the list has no exceptions. `tail_offset` is as
/// ListDecoder has it.
///
/// Decoders that use the table know tails of one level or none. For a list of more levels with
/// exceptions, returns its tail encoded again with one level, with kReadSlack bytes behind; the
/// table is of that tail, and with it the list decodes to the same values. Else returns nothing.
///
/// O(blocks + exceptions of exceptions), with more levels O(n). Throws FormatError on bytes that
/// cannot be what the encoder wrote.
std::vector<std::uint8_t> make_exception_table(const EncodedList& list, std::uint32_t tail_offset,
                                               std::span<ExceptionEntry> entries,
                                               std::span<ExceptionBase> bases);

}  // namespace warpdex
