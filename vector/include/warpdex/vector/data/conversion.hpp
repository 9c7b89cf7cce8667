// Converts values of one element type to another.
#pragma once

#include <cstddef>
#include <string>

#include "warpdex/vector/data/element.hpp"

namespace warpdex::vector {

/// Converts `count` values of `from` to `to`, and returns how many could be: fewer than `count`
/// where the next one has no exact counterpart (a fraction or a number out of range for whole
/// numbers, a whole number with too many bits for a float). Only the conversion from float to half
/// rounds, to the nearest; values beyond half's range are refused. The buffers are aligned to their
/// elements and do not overlap. O(count).
std::size_t convert_values(Element from, const void* values, std::size_t count, Element to,
                           void* out);

/// One value as text, for messages.
std::string value_text(Element element, const void* values, std::size_t index);

}  // namespace warpdex::vector
