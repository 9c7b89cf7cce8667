// Codes of vectors with a scale of their own. *RaBitQ*, Gao and Long, SIGMOD 2024 and 2025.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "warpdex/vector/binary/binary_quantizer.hpp"

namespace warpdex::vector {

/// The scales that are tried, as multiples of the usual one.
inline constexpr std::array<float, 11> kScaleFactors{1,     0.94F, 1.06F, 0.88F, 1.12F, 0.82F,
                                                     1.18F, 0.76F, 1.24F, 0.70F, 1.30F};
/// How often all components are moved, at the most.
inline constexpr int kMovePasses = 16;

/// The code of components that are rotated already, and its correction. The scale is the one of
/// some around the usual for which the angle between the vector and its code is the smallest; then
/// single components move to neighbouring cells as long as that makes it smaller. The same on every
/// processor. O(dimension).
CodeCorrection encode_corrected(const float* rotated, std::size_t dimension, float usual_scale,
                                std::size_t bits, std::uint32_t* code);

}  // namespace warpdex::vector
