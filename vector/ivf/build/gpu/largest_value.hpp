// The largest of many numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Queues the search for the largest of numbers that are not negative; NaN counts as the largest.
void find_largest(const float* values, std::uint32_t count, float* largest, const Stream& stream);

}  // namespace warpdex::vector
