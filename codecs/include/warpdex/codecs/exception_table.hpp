// Where the exceptions of each block of a `pfor` list are, as a table: what the list's tail says
// of it in several places, one of which leads to the next, so that a decoder that meets a block by
// itself, above all on a GPU, reads all of the block's exceptions at once. Not stored in an index:
// made from the tails where it is needed. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "warpdex/codecs/codec.hpp"

namespace warpdex {

/// Exceptions are numbered in the order of their list. In a list with one level of recursion, some
/// of their gaps and of their high bits have exceptions themselves; the former and the latter are
/// numbered likewise. Lists with more levels have none of these, as far as the table says.
///
/// How many exceptions of each kind there are before a block, the first of a group of 32.
struct alignas(16) ExceptionBase {
  std::uint32_t first = 0;     ///< of the list's own
  std::uint32_t in_gaps = 0;   ///< of their gaps'
  std::uint32_t in_highs = 0;  ///< of their high bits'
  std::uint32_t padding = 0;
};

/// A block's entry: from the lowest bit on its numbers of exceptions, of those of their gaps, and
/// of those of their high bits (8 bits each), then in the same order how many there are before the
/// block, from its group's base (12 bits each).
using ExceptionEntry = std::uint64_t;
inline constexpr std::uint32_t kEntryCountBits = 8;
inline constexpr std::uint32_t kEntryStartBits = 12;
static_assert(31 * kBlockSize < 1U << kEntryStartBits && kBlockSize < 1U << kEntryCountBits);

/// Fills in the table of a `pfor` list: `entries` has one a block, `bases` one a group of 32 blocks
/// but the first, whose base is 0. All zero if the list has no exceptions. `tail_offset` is as
/// ListDecoder has it. O(blocks + exceptions of exceptions). Throws FormatError on bytes that
/// cannot be what the encoder wrote.
void make_exception_table(const EncodedList& list, std::uint32_t tail_offset,
                          std::span<ExceptionEntry> entries, std::span<ExceptionBase> bases);

}  // namespace warpdex
