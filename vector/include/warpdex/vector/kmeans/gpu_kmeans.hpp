// k-means on a GPU or several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {

/// kmeans() on the GPU of `resources`: assignment and means are computed there, in the same way.
/// Points are assigned by products of halves whose error is bounded; centroids that these do not
/// settle are compared by canonical distances (docs/vector.md). Means are sums in double precision,
/// in an order that depends on nothing but the clusters. So the same points and settings give the
/// same result on every GPU, to the bit; the objective that on_iteration gets is approximate. The
/// CPU gives the same clusters to the same centroids; its means may round to other floats.
/// `settings.threads` is not used. Throws InputError for a point farther than 2e17 from the mean of
/// all, and else as kmeans() does; CudaError where there is no GPU; Error, which says how much is
/// needed, where the points do not fit into its memory.
KmeansResult kmeans_on_gpu(const Matrix<float>& points, const KmeansSettings& settings,
                           Resources& resources);

/// The same of points in GPU memory: rows * columns floats without gaps, which are there when it is
/// called. If it is spherical they are copied.
KmeansResult kmeans_on_gpu(const float* points, std::size_t rows, std::size_t columns,
                           const KmeansSettings& settings, Resources& resources);

/// The same on several GPUs, of which each has all centroids and a share of the points: shares are
/// contiguous and equal, and kept while it runs. Each GPU assigns its points and sums them up by
/// clusters in double precision, in their order; the host, with `settings.threads` threads, adds
/// the sums of the shares in order and moves the centroids. So the same points, settings and number
/// of GPUs give the same bits; another number gives others, by the rounding of sums. If it is
/// balanced, each GPU balances its share: a cluster has up to 1.1 times the mean of each share,
/// rounded up. GPUs beyond the number of points do nothing, and one alone does what kmeans_on_gpu()
/// does. The host needs 8 bytes a GPU for each component of the centroids. A GPU may be given more
/// than once. Throws as kmeans_on_gpu() does, with the number of the GPU in Error and CudaError;
/// UsageError for no GPU.
KmeansResult kmeans_on_gpus(const Matrix<float>& points, const KmeansSettings& settings,
                            std::span<Resources* const> resources);

}  // namespace warpdex::vector
