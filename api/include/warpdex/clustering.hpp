// k-means, on the CPU or on GPUs.
#pragma once

#include <cstddef>
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

}  // namespace warpdex
