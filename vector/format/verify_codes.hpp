// Checks the codes of a segment.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "warpdex/vector/format/vector_segment.hpp"

namespace warpdex::vector {

inline bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

/// Checks a segment of an index of kIvfPq: that codebooks are finite, that each row is in one list,
/// that terms are those of the codes, and, where vectors were kept, that codes are those of the
/// vectors. Throws FormatError. O(rows * dimension * codewords).
void check_codes(const VectorSegment& segment);

/// Likewise of kBinary: that the quantizer is finite and its scale above 0, and, where vectors were
/// kept, that codes and terms are those of the vectors. Throws FormatError.
/// O(rows * dimension), with a rotation O(rows * dimension^2).
void check_binary_codes(const VectorSegment& segment);

/// Likewise of kIvfBinary, and that each row is in one list. Throws and takes as long likewise.
void check_list_codes(const VectorSegment& segment);

}  // namespace warpdex::vector
