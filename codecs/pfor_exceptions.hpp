// The exceptions of a `pfor` list, in the list's tail: for each value that does not fit its slot,
// its place (as a gap from the exception before it in the block) and its high bits. Both arrays
// are compressed like the list itself, by one level of recursion less; at no levels they are
// plain: places of 1 byte, high bits of 1, 2 or 4. docs/codecs.md has the grammar. Internal to
// codecs/.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/codecs/block.hpp"
#include "warpdex/codecs/exception_table.hpp"

namespace warpdex::pfor {

/// Encoded exceptions; no bytes if there are none.
struct ExceptionBytes {
  std::vector<std::uint8_t> bytes;
};

/// The tail of values whose slots have `width` bits; some value must be wider. O(n).
ExceptionBytes encode_exceptions(const BlockedValues& values, std::uint32_t width, int levels);

/// The width of the slots that makes the list smallest, slots and tail together, among the few
/// widths that a histogram suggests; and the tail for it. O(n).
std::uint32_t choose_width(const BlockedValues& values, int levels, ExceptionBytes& tail);

/// Reads the exceptions of any block, without a pass over those of others. Trusts no byte: throws
/// FormatError. Cheap to construct.
class Exceptions {
 public:
  /// The exceptions start at `at`; the list's bytes end at `end`. `blocks` and `levels` are those
  /// of the values that have the exceptions.
  Exceptions(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t blocks, int levels);

  /// Adds the high bits, shifted by `width`, to the block's values. There must be room for
  /// kBlockSize values, whatever the block holds, since damaged bytes may reach any of them.
  void patch_block(std::uint64_t block, std::uint32_t width, std::uint32_t* values) const;

  /// What patch_block adds to the value at `index`.
  std::uint32_t high_at(std::uint64_t block, std::uint32_t index, std::uint32_t width) const;

  /// Where the exceptions end. O(levels).
  const std::uint8_t* end() const;

  /// As make_exception_table.
  void make_table(std::span<ExceptionEntry> entries, std::span<ExceptionBase> bases) const;

 private:
  class ArrayWalk;

  /// A packed array, whose values may have exceptions themselves.
  struct Array {
    std::uint32_t width = 0;
    bool has_exceptions = false;
    const std::uint8_t* packed = nullptr;
    const std::uint8_t* exceptions = nullptr;
  };
  struct Range {
    std::uint64_t start = 0;
    std::uint32_t count = 0;
  };
  /// Room for a range's values, and for the whole groups around them.
  using Buffer = std::uint32_t[2 * kBlockSize];

  void parse_counts(const std::uint8_t*& at, std::uint64_t blocks);
  void parse_plain_arrays(const std::uint8_t*& at);
  void parse_compressed_arrays(const std::uint8_t*& at);
  void parse_array(Array& array, std::uint8_t code, const std::uint8_t*& at) const;
  Range range_of(std::uint64_t block) const;
  Exceptions nested(const Array& array) const;
  const std::uint32_t* read(const Array& array, Range range, Buffer& buffer) const;
  void patch_range(const Array& array, Range range, std::uint32_t* values) const;
  const std::uint32_t* read_positions(Range range, Buffer& buffer) const;
  template <typename Visit>
  void for_each(std::uint64_t block, std::uint32_t first, std::uint32_t last, Visit visit) const;
  template <typename Visit>
  void for_each_plain(Range range, std::uint32_t first, std::uint32_t last, Visit visit) const;

  const std::uint8_t* end_;               ///< of the list
  const std::uint8_t* bases_ = nullptr;   ///< exceptions before each group of blocks but the first
  const std::uint8_t* counts_ = nullptr;  ///< one a block
  std::uint64_t total_ = 0;
  int levels_;
  Array gaps_;  ///< at no levels, positions
  Array highs_;
};

}  // namespace warpdex::pfor
