// k-means on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {

/// kmeans() on the GPU of `resources`: assignment and means are computed there, in the same way.
/// Points are assigned by products of halves whose error is bounded; centroids that it leaves
/// open are compared by canonical distances (docs/vector.md). Means are sums in double precision, in
/// an order that depends on nothing but the clusters. So the same points and settings give the same bits on every GPU; the
/// CPU's differ where two centroids are equally near up to the rounding of floats.
/// `settings.threads` is not used. Throws as kmeans() does; CudaError where there is no GPU; Error,
/// which says how much is needed, where the points do not fit into its memory.
KmeansResult kmeans_on_gpu(const Matrix<float>& points, const KmeansSettings& settings,
                           Resources& resources);

/// The same of points in GPU memory: rows * columns floats without gaps, which are there when it is
/// called. If it
/// is spherical they are copied.
KmeansResult kmeans_on_gpu(const float* points, std::size_t rows, std::size_t columns,
                           const KmeansSettings& settings, Resources& resources);

}  // namespace warpdex::vector
