// What the codecs share: a block as the decoders see it, and values of which an encoder skips some
// blocks. Internal to codecs/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/codecs/bits.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

/// Throws the FormatError of a block that no encoder wrote.
[[noreturn]] void throw_damaged_block();

/// A block in a list. `at` lies within [list begin, end].
struct Block {
  const EncodedList* list = nullptr;
  const std::uint8_t* at = nullptr;
  std::uint32_t count = 0;
  std::uint32_t index = 0;
  std::uint32_t tail_offset = 0;
  std::uint8_t code = 0;

  std::uint64_t bytes_left() const { return static_cast<std::uint64_t>(list->end - at); }
  bool only_block() const { return list->count <= kBlockSize; }
};

/// Throws FormatError unless `bytes` more bytes lie between `at` and `end`.
inline void check_room(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(end - at)) throw_damaged_block();
}

/// Throws FormatError unless `docids` ascend strictly from above `base`. For gaps whose bitwise or
/// does not prove it already.
void check_ascending(const std::uint32_t* docids, std::uint32_t count, std::uint32_t base);

/// Gaps whose bits are all below this sum up within 32 bits over a block.
inline constexpr std::uint32_t kSmallGap = 1U << 24;

/// Checks docIDs that were summed up from `base`, modulo 2^32: that they ascend and end with
/// `last`. `bits` is the bitwise or of the gaps.
inline void check_docids(const std::uint32_t* docids, std::uint32_t count, std::uint32_t base,
                         std::uint32_t last, std::uint32_t bits) {
  if (docids[count - 1] != last || last < base + 1) throw_damaged_block();
  if (bits >= kSmallGap) check_ascending(docids, count, base);
}

/// Values cut into blocks. Some blocks (bit sets) are skipped: they take no bytes and do not
/// influence the list's parameter.
class BlockedValues {
 public:
  /// `skipped` has one entry a block; if it is empty, no block is skipped.
  BlockedValues(std::span<const std::uint32_t> values, std::span<const std::uint8_t> skipped)
      : values_(values), skipped_(skipped) {}

  std::uint32_t blocks() const {
    return static_cast<std::uint32_t>((values_.size() + kBlockSize - 1) / kBlockSize);
  }
  /// All values, those of skipped blocks too.
  std::span<const std::uint32_t> values() const { return values_; }
  /// The values of a block: none if it is skipped.
  std::span<const std::uint32_t> block(std::uint32_t index) const {
    if (!skipped_.empty() && skipped_[index] != 0) return {};
    const std::size_t start = std::size_t{index} * kBlockSize;
    return values_.subspan(start, std::min<std::size_t>(kBlockSize, values_.size() - start));
  }
  bool short_list() const { return values_.size() < kBlockSize; }

 private:
  std::span<const std::uint32_t> values_;
  std::span<const std::uint8_t> skipped_;
};

/// Bits that the index spends on a code or parameter of a short list that is not a plain width.
inline constexpr std::uint32_t kShortListEscapeBits = 8;

/// Added to a width, in a code or a parameter: exceptions follow.
inline constexpr std::uint8_t kExceptionsFlag = 64;

/// How many values have each width, 0 to 32 bits.
struct WidthHistogram {
  std::uint32_t counts[33] = {};

  void add(std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values) ++counts[width_of(value)];
  }
  /// The width of the largest value.
  std::uint32_t widest() const {
    std::uint32_t width = 32;
    while (width > 0 && counts[width] == 0) --width;
    return width;
  }
};

}  // namespace warpdex
