// PForDelta with one width a list, whose exceptions lie in two arrays behind the last block, each
// compressed in the same way again (section 6 of Ding, He, Yan and Suel, "Using Graphics
// Processors for High Performance IR Query Processing").
// docs/codecs.md has the layout. Internal to codecs/.
#pragma once

#include "warpdex/codecs/block.hpp"

namespace warpdex::pfor {

/// Appends the blocks to `out`, with codes and offsets, and the list's tail, and sets its
/// parameter.
void encode(const BlockedValues& values, int levels, EncodedValues& out);

/// The tail's bytes, divided among the blocks of an encoded list by their numbers of exceptions.
std::vector<std::uint32_t> tail_shares(const BlockedValues& values, const EncodedValues& encoded);

/// As ListDecoder's functions of these names; never called for a bit set.
void decode_values(const Block& block, std::uint32_t* out);
void decode_docids(const Block& block, std::uint32_t base, std::uint32_t last, std::uint32_t* out);
std::uint32_t value_at(const Block& block, std::uint32_t index);
std::uint32_t single_block_size(const Block& block);

}  // namespace warpdex::pfor
