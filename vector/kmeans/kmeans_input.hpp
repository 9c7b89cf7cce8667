// Checks of arguments that k-means on the CPU and on the GPU share.
#pragma once

#include <cstddef>

#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {

/// While centroids are balanced, no cluster has more points than the mean number times this.
inline constexpr double kBalancedShare = 1.1;
/// Squared distances from the mean of all points: sums of larger ones could pass the range of
/// floats.
inline constexpr double kMaxKmeansNorm = 0x1p116;

/// Throws UsageError as kmeans() does.
void check_kmeans(std::size_t points, const KmeansSettings& settings);

/// Throws InputError for a point whose norm is larger.
[[noreturn]] void refuse_far_point(std::size_t point);

}  // namespace warpdex::vector
