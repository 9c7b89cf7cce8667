// Rice coding with one parameter a list; binary and unary parts kept apart (section 6 of
// Ding, He, Yan and Suel, "Using Graphics Processors for High Performance IR Query Processing").
// docs/codecs.md has the layout. Internal to codecs/.
#pragma once

#include "warpdex/codecs/block.hpp"

namespace warpdex::rice {

/// Appends the blocks to `out`, with codes and offsets, and sets its parameter.
void encode(const BlockedValues& values, EncodedValues& out);

/// As ListDecoder's functions of these names; never called for a bit set.
void decode_values(const Block& block, std::uint32_t* out);
void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out);
std::uint32_t value_at(const Block& block, std::uint32_t index);
std::uint32_t single_block_size(const Block& block);

}  // namespace warpdex::rice
