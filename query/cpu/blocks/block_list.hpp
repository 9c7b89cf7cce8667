// A term's postings by blocks of documents, as they lie in memory. Internal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace warpdex {

/// Documents of a block, and blocks of a superblock: as many as bits of a mask.
inline constexpr std::uint32_t kDocumentsOfBlock = 16;
inline constexpr std::uint32_t kBlocksOfSuperblock = 16;
inline constexpr std::uint32_t kDocumentsOfSuperblock = kDocumentsOfBlock * kBlocksOfSuperblock;
/// Bytes that may be read behind a list.
inline constexpr std::size_t kBlockListPadding = 64;

/// 64 superblocks: those where the term occurs, and how many of these are before them.
struct SuperblockWord {
  std::uint64_t bits;
  std::uint32_t rank;
  std::uint32_t unused;
};

/// What lies before a list's arrays.
struct BlockListHeader {
  std::uint32_t count;    ///< of superblocks where the term occurs
  std::uint16_t is_wide;  ///< it has words, not numbers
  std::uint16_t largest;  ///< impact
};

/// Views of one list. Superblocks where the term occurs have places, ascending. At each place is
/// a record:
///     blocks:u16          the blocks where the term occurs
///     largest:u8*         by such block, its largest impact
///     documents:u16*      by such block, its documents with the term
///     first:u8*           by such block, where its impacts begin
///     impacts:u8*         by document
struct BlockList {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  const SuperblockWord* words = nullptr;   ///< by 64 superblocks; null for a list of few
  const std::uint32_t* numbers = nullptr;  ///< of superblocks, by place; null where there are words
  const std::uint32_t* starts = nullptr;   ///< by place: of its record
  const std::uint8_t* largest = nullptr;   ///< by place: the largest impact
  const std::uint8_t* records = nullptr;
  std::uint32_t count = 0;
  std::uint32_t largest_of_all = 0;

  /// The place of a superblock, or kNone. O(1) with words, else O(log count).
  std::uint32_t find(std::uint32_t superblock) const {
    if (words == nullptr) {
      const std::uint32_t* const at = std::lower_bound(numbers, numbers + count, superblock);
      return at < numbers + count && *at == superblock ? static_cast<std::uint32_t>(at - numbers)
                                                       : kNone;
    }
    const SuperblockWord& word = words[superblock / 64];
    const std::uint64_t bit = std::uint64_t{1} << superblock % 64;
    if ((word.bits & bit) == 0) return kNone;
    return word.rank + static_cast<std::uint32_t>(std::popcount(word.bits & (bit - 1)));
  }
};

}  // namespace warpdex
