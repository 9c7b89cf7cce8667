// Some values of a block of `pfor-block`, without decoding the others.
#pragma once

#include <cstdint>

#include "warpdex/codecs/codec.hpp"

namespace warpdex {

/// Writes `count` values from `index` on, the last of which the block has. `list` is of that codec.
/// O(count + exceptions). Throws FormatError as ListDecoder does.
void read_pfor_block_values(const EncodedList& list, const BlockRef& block, std::uint32_t index,
                            std::uint32_t count, std::uint32_t* out);

}  // namespace warpdex
