// The steps from a vector to its code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/vector/binary/binary_quantizer.hpp"

namespace warpdex::vector {

/// Takes the centre from a vector, which has zeros up to a multiple of 32 floats and is
/// overwritten, and rotates what is left. `rotated` gets as many floats.
void rotate_from_centre(const BinaryQuantizer& quantizer, float* vector, float* rotated);
/// Rotates a vector, with zeros likewise, or copies it: `dimension` floats.
void rotate(const BinaryQuantizer& quantizer, const float* vector, float* rotated);

/// The code of components that are rotated already, with zeros likewise, by any scale and number of
/// bits.
void cells_of(const float* rotated, std::size_t dimension, float scale, std::size_t bits,
              std::uint32_t* words);

/// Cells per unit of a component: 2^bits / (2 scale).
inline float cell_factor(float scale, std::size_t bits) {
  return static_cast<float>(1U << (bits - 1)) / scale;
}

}  // namespace warpdex::vector
