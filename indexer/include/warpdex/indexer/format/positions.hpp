// Reads the positions of words: where in its document each occurrence of a list stands.
// docs/format.md, "Positions".
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// The occurrences of one list, in the order of its postings. A block of them is decoded at a time.
/// Of a text with positions (PositionedTexts).
class PositionReader {
 public:
  PositionReader() = default;
  /// `occurrences`: of the list, the sum of its frequencies; up to 2^32 - 1. Throws FormatError.
  PositionReader(const IndexSections& sections, const PostingsEntry& entry,
                 std::uint64_t occurrences);

  /// The occurrences of a long list before one of its blocks of postings.
  std::uint64_t start_of_block(std::uint32_t block) const { return starts_[block]; }

  /// Fetch the memory that read() from `begin` on reads: first where the block is, then the block.
  void prefetch_place(std::uint64_t begin) const;
  void prefetch(std::uint64_t begin) const;

  /// Appends the positions of a document, which never fall, to `to`: those of the `frequency`
  /// occurrences from `begin` on. O(frequency), and the decoding of blocks of which much is read.
  /// Throws FormatError.
  void read(std::uint64_t begin, std::uint32_t frequency, std::vector<std::uint32_t>& to);
  /// Appends the steps as they are stored: the first position, then the differences.
  void read_steps(std::uint64_t begin, std::uint64_t count, std::vector<std::uint32_t>& to);

 private:
  BlockRef block_ref(std::uint32_t block) const;
  void load(std::uint32_t block);
  const std::uint32_t* values_of(std::uint32_t block, std::uint32_t place, std::uint32_t count);
  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t count, const Visit& visit);

  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  /// Up to so many values of a block are read without its others.
  static constexpr std::uint32_t kFew = 16;

  alignas(64) std::uint32_t values_[kBlockSize];
  std::uint32_t few_[kFew];
  EncodedList list_;  ///< in blocks
  const std::uint32_t* starts_ = nullptr;
  const std::uint32_t* bases_ = nullptr;
  const std::uint16_t* offsets_ = nullptr;
  const std::uint8_t* codes_ = nullptr;
  std::uint64_t occurrences_ = 0;
  std::uint32_t block_ = kNothing;   ///< whose values they are
  std::uint32_t few_of_ = kNothing;  ///< the block of which a few were read last
};

/// All steps of a list whose frequencies are given. O(occurrences). Throws FormatError.
std::vector<std::uint32_t> read_steps(const Index& index, const PostingsEntry& entry,
                                      const std::vector<std::uint32_t>& frequencies);

}  // namespace warpdex
