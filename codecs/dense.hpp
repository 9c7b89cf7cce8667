// Bit-set blocks: bit i stands for the i-th docID after the block before. For docIDs so dense that
// no codec is smaller. Internal to codecs/.
#pragma once

#include "warpdex/codecs/block.hpp"

namespace warpdex::dense {

/// Bytes of the bit set of docIDs in (base, last].
constexpr std::uint64_t size(std::uint32_t base, std::uint32_t last) {
  return bytes_for_bits(std::uint64_t{last - base});
}

/// Appends the bit set of `docids`, all above `base` (which may be -1).
void append(std::span<const std::uint32_t> docids, std::uint32_t base,
            std::vector<std::uint8_t>& bytes);

/// As ListDecoder::decode_docids.
void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out);

}  // namespace warpdex::dense
