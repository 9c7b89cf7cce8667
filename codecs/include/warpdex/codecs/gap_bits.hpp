// Blocks of docIDs that have hardly any gaps, as bit sets.
#pragma once

#include <cstdint>

#include "warpdex/codecs/codec.hpp"

namespace warpdex {

/// Blocks of a larger code are none of these.
inline constexpr std::uint8_t kMaxGapBits = 1;
/// Words of the bit set of a block of gaps of 0 and 1, and one word more.
inline constexpr std::uint32_t kGapBitWords = 2 * kBlockSize / 64 + 1;

/// Writes the block as the bit set that a dense block is, if its gaps give it at once: those of
/// `bitpack` in at most 1 bit. Else returns false. All kGapBitWords words are written, and the last
/// 64 bits are 0. `base` and `last` as for ListDecoder::decode_docids(). Not for dense blocks.
/// O(gaps of 1). Throws FormatError.
bool read_gap_bits(const EncodedList& list, const BlockRef& ref, std::uint32_t base,
                   std::uint32_t last, std::uint64_t* bits);

}  // namespace warpdex
