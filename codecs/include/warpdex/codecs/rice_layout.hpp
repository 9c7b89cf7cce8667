// Numbers that the host's and the device's halves of `rice` share. Internal to codecs/.
#pragma once

#include <cstdint>

namespace warpdex::rice {

/// A quotient of kEscape or more is an escape: the unary part holds kEscape, and the whole quotient
/// follows the block's unary part in 32 - k bits, where k is the width of the binary part. With
/// half of this kEscape real lists would be 0.1 % larger, with a quarter 1 %.
inline constexpr std::uint32_t kEscapeLog = 6;
inline constexpr std::uint32_t kEscape = 1U << kEscapeLog;
/// A block's code: the list's parameter holds; otherwise it is packed, in `code - kPackedCode`
/// bits.
inline constexpr std::uint8_t kRiceCode = 0;
inline constexpr std::uint8_t kPackedCode = 1;

}  // namespace warpdex::rice
