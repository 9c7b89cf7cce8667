// Finding values that vectors may not have, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpdex::vector {

/// The first value that is NaN, or infinite unless that is allowed; size() where there is none.
std::size_t find_not_finite(std::span<const float> values, bool allow_infinite);
std::size_t find_not_finite(std::span<const std::uint16_t> halves, bool allow_infinite);

/// The first byte that is neither 0 nor 1; size() where there is none.
std::size_t find_no_bool(std::span<const std::uint8_t> bytes);

}  // namespace warpdex::vector
