// Numbers that the writing and the reading of a `pfor` tail share. Internal to codecs/.
#pragma once

#include <cstdint>

namespace warpdex::pfor {

/// The number of exceptions before a block is stored for the first block of each group of so many.
inline constexpr std::uint32_t kCountGroup = 32;

}  // namespace warpdex::pfor
