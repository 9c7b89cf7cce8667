// Posting codecs: lists of 32-bit values to bytes and back, in blocks of 128 with access to any
// block in O(1). One pair of files per codec (rice, pfor, pfor_block, bitpack) implements it.
//
// A posting list is two such lists of values: the gaps between docIDs less one (the first docID
// as it is), and the frequencies less one. A block of docIDs may instead be a bit set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/codecs/codec_settings.hpp"

namespace warpdex {

/// Values in a block. Every block but a list's last is full.
inline constexpr std::uint32_t kBlockSize = 128;
/// A block takes at most this many bytes, whatever its codec and form.
inline constexpr std::uint32_t kMaxBlockBytes = 640;
/// Bytes that must be readable (of any value) past the end of encoded bytes.
inline constexpr std::size_t kReadSlack = 64;
/// A docID block's code that says that the block is a bit set, in every codec.
inline constexpr std::uint8_t kDenseCode = 255;

/// An encoded list of values. Blocks lie back to back in `bytes`, each from a whole byte on:
/// block i is bytes [offsets[i], offsets[i + 1]); what a list shares between its blocks (the
/// exceptions of `pfor`) follows the last block, from offsets[blocks] on.
struct EncodedValues {
  std::uint8_t parameter = 0;          ///< one a list: rice's and pfor's width
  std::vector<std::uint8_t> codes;     ///< one a block: bitpack's, pfor-block's width, kDenseCode
  std::vector<std::uint32_t> offsets;  ///< blocks + 1, in bytes; a full block takes at most 640
  std::vector<std::uint8_t> bytes;     ///< without slack
};

/// Encodes any values, 1 to 2^32 - 1 of them. O(n). Deterministic.
EncodedValues encode_values(const CodecSettings& settings, std::span<const std::uint32_t> values);

/// Encodes strictly ascending docIDs; blocks that a bit set makes no larger become bit sets
/// (if `allow_dense` and CodecSettings::bit_sets), with bit i standing for docID `last docID of the
/// block before + 1 + i`, or i in the first block.
EncodedValues encode_docids(const CodecSettings& settings, std::span<const std::uint32_t> docids,
                            bool allow_dense = true);

/// An encoded list as it lies in a mapped index. [begin, end) are its blocks and its tail;
/// kReadSlack bytes past `end` are readable. Nothing in it is trusted.
struct EncodedList {
  CodecSettings settings;               ///< those it was encoded with
  std::uint8_t parameter = 0;           ///< EncodedValues::parameter
  std::uint32_t count = 0;              ///< values in the list, 1 or more
  const std::uint8_t* begin = nullptr;  ///< of the first block
  const std::uint8_t* end = nullptr;    ///< past the tail
};

/// One block of a list: which it is, where it starts, and its code.
struct BlockRef {
  std::uint32_t index = 0;   ///< in the list
  std::uint32_t offset = 0;  ///< bytes from the list's begin
  std::uint8_t code = 0;     ///< its entry in EncodedValues::codes
};

/// Decodes the blocks of one list. Cheap to make and to copy, holds no memory of its own. Every
/// function throws FormatError on bytes that cannot be what the encoder wrote, and never reads
/// outside [begin, end + kReadSlack) nor writes outside `out`, whatever the bytes are.
class ListDecoder {
 public:
  /// An empty decoder, to be assigned to.
  ListDecoder() = default;
  /// `tail_offset` is where the list's tail starts, in bytes from begin (EncodedValues::offsets
  /// of the block past the last); only `pfor` looks at it.
  ListDecoder(const EncodedList& list, std::uint32_t tail_offset);

  /// Values in the list.
  std::uint32_t count() const { return list_.count; }
  /// Blocks in the list, kBlockSize values each but the last.
  std::uint32_t blocks() const { return (list_.count + kBlockSize - 1) / kBlockSize; }
  /// Values in a block: 128 but for the list's last.
  std::uint32_t block_count(std::uint32_t index) const {
    const std::uint32_t left = list_.count - index * kBlockSize;
    return left < kBlockSize ? left : kBlockSize;
  }

  /// Writes the block's values. `out` has room for kBlockSize values, all of which may be
  /// overwritten; those past block_count() are then of no meaning. Not for dense blocks.
  void decode_values(const BlockRef& block, std::uint32_t* out) const;

  /// Writes the block's docIDs, which ascend strictly and end with `last`. `base` is the last
  /// docID of the block before, or -1 (as std::uint32_t) for the first block. Dense blocks too.
  void decode_docids(const BlockRef& block, std::uint32_t base, std::uint32_t last,
                     std::uint32_t* out) const;

  /// The block's value at `index` (below block_count()), without decoding the block: O(1), for
  /// `rice` a select within the block, for `pfor` O(levels). Not for dense blocks.
  std::uint32_t value_at(const BlockRef& block, std::uint32_t index) const;

  /// For a list of one block whose end is not known: the bytes that its block and tail take,
  /// found by walking them. Not for dense blocks.
  std::uint32_t single_block_size(const BlockRef& block) const;

 private:
  EncodedList list_;
  std::uint32_t tail_offset_ = 0;
};

}  // namespace warpdex
