// Work on rows of floats, on the CPU or on GPUs: k-means, and the k best values of each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/gpu.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex {

/// Clusters of `points`, as vector::kmeans() finds them; with `gpus` there, each with a share of
/// the points. The same number of GPUs gives the same bits. Throws what vector::kmeans() throws;
/// CudaError, and Error where the points do not fit into the GPUs' memory.
vector::KmeansResult kmeans(const vector::Matrix<float>& points,
                            const vector::KmeansSettings& settings,
                            const std::vector<Gpu>& gpus = {});

/// The same of a copy of `points`, rows of `dimension` components, one after the other. Throws
/// UsageError for a size that is no multiple of the dimension.
vector::KmeansResult kmeans(std::span<const float> points, std::size_t dimension,
                            const vector::KmeansSettings& settings,
                            const std::vector<Gpu>& gpus = {});

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
