// Numbers that the host's and the device's halves of `pfor-block` share. Internal to codecs/.
#pragma once

#include <cstdint>

namespace warpdex::pfor_block {

inline constexpr std::uint32_t kPositionBits = 7;  ///< of an exception's place in its block
inline constexpr std::uint32_t kHeaderBytes =
    2;  ///< number of exceptions, width of their high bits

}  // namespace warpdex::pfor_block
