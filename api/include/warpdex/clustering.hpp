// k-means, on the CPU or a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "warpdex/gpu.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex {

/// Clusters of `points`, rows of `dimension` components, one after the other, as vector::kmeans()
/// finds them; with `gpu` there. Throws UsageError for a size that is no multiple of the dimension,
/// and what vector::kmeans() throws; CudaError, and Error where the points do not fit into the
/// GPU's memory.
vector::KmeansResult kmeans(std::span<const float> points, std::size_t dimension,
                            const vector::KmeansSettings& settings,
                            const std::optional<Gpu>& gpu = std::nullopt);

}  // namespace warpdex
