// The k best values of each row of a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/gpu.hpp"

namespace warpdex {

/// Best first; of equal values the smaller id first; NaN after every number, and as the quiet one;
/// -0 equals 0, and is given back as 0.
struct Selection {
  std::vector<float> values;      ///< rows * k; in places that no value takes, the worst infinity
  std::vector<std::int64_t> ids;  ///< columns; -1 in such places
};

/// Rows of `columns` values each, one after the other; k from 1 on, also above `columns`. The
/// smallest values are best, or the largest. Throws UsageError for a size that is no multiple of
/// `columns`, and for a k of 0. O(values log k).
Selection select_k(std::span<const float> values, std::size_t columns, std::size_t k,
                   bool largest = false);

/// The same at device pointers, to rows * columns values and rows * k values and ids (columns;
/// 0xFFFFFFFF in places that no value takes), without gaps. Returns when the answers are there. Its
/// scratch memory counts in the GPU's budget. Throws UsageError for sizes out of range, CudaError,
/// and Error for too little memory.
void select_k(const Gpu& gpu, const float* values, std::size_t rows, std::size_t columns,
              std::size_t k, bool largest, float* values_out, std::uint32_t* ids_out);
/// The same with ids of 64 bits; -1 in places that no value takes.
void select_k(const Gpu& gpu, const float* values, std::size_t rows, std::size_t columns,
              std::size_t k, bool largest, float* values_out, std::int64_t* ids_out);

}  // namespace warpdex
