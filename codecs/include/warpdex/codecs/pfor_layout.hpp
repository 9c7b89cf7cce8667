// Numbers that the writing and the reading of a `pfor` tail share. Internal to codecs/.
#pragma once

#include <cstdint>

namespace warpdex::pfor {

/// The number of exceptions before a block is stored for the first block of each group of so many.
inline constexpr std::uint32_t kCountGroup = 32;

/// Bits of an exception's place in its block, where it is stored plain.
inline constexpr std::uint8_t kPositionWidth = 8;

}  // namespace warpdex::pfor
