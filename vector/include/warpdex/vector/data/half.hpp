// Half floats (IEEE 754 binary16) to floats and back, many at a time.
#pragma once

#include <cstdint>
#include <span>

namespace warpdex::vector {

/// The value of each half, exactly; NaNs become quiet and keep their payload. `out` has room for
/// halves.size() floats and overlaps nothing. O(size); eight at a time where the processor can.
void to_float(std::span<const std::uint16_t> halves, float* out);

/// Each value rounded to the nearest half, ties to the even one, subnormal halves included. From
/// 65520 on, in absolute value, the half is infinite: the caller checks for that if it matters.
/// NaNs stay NaNs. `out` has room for values.size() halves and overlaps nothing. O(size). The bits
/// do not depend on the processor.
void to_half(std::span<const float> values, std::uint16_t* out);

/// Whether the half is neither infinite nor NaN.
constexpr bool is_finite_half(std::uint16_t half) { return (half & 0x7C00U) != 0x7C00U; }

}  // namespace warpdex::vector
